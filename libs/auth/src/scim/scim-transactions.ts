import { ConflictError, UnauthenticatedError, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { lockOrganization } from '../accounts/organization-members.js';

const ATTEMPTS = 4;
/** Deadlock, as another way of writing accounts may take its locks in another order; and an account that is gone since it was read. */
const TRY_AGAIN = new Set(['40P01', '40001', '23503']);

/** The attribute that a unique index speaks for. */
const UNIQUE: Readonly<Record<string, string>> = {
  users_username_key: 'userName',
  users_username_lower_key: 'userName',
  users_email_lower_key: 'emails',
  users_scim_external_id_key: 'externalId',
  scim_groups_display_name_key: 'displayName',
  scim_groups_external_id_key: 'externalId',
};

export function taken(attribute: string): ConflictError {
  return new ConflictError(`Another resource has this ${attribute}.`, { code: 'uniqueness' });
}

function driverError(error: unknown): { code?: string; constraint?: string } {
  return error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : {};
}

function asConflict(error: unknown): unknown {
  // What AccountFactory says of a name or an address that was taken a moment ago.
  if (error instanceof ValidationError) return taken('username' in error.fields ? 'userName' : 'emails');
  const attribute = UNIQUE[driverError(error).constraint ?? ''];
  return attribute ? taken(attribute) : error;
}

/** What a directory writes: the calls of one organisation wait for each other, so that seats and names are decided. */
@Injectable()
export class ScimTransactions {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws ConflictError (`uniqueness`); UnauthenticatedError (`invalid_token`) when the organisation has ended */
  async run<T>(organizationId: number, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.dataSource.transaction(async (tx) => {
          // It may have ended since its token was read, which is gone with it.
          if (!(await lockOrganization(tx, organizationId)))
            throw new UnauthenticatedError('Invalid token.', { code: 'invalid_token' });
          return work(tx);
        });
      } catch (error) {
        if (attempt === ATTEMPTS || !TRY_AGAIN.has(driverError(error).code ?? '')) throw asConflict(error);
      }
    }
  }
}
