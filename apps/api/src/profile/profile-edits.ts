import { AuditLog } from '@app/audit';
import { CachedPrincipals, type Principal } from '@app/auth';
import { NotFoundError, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { ModelCatalog } from './model-catalog.js';

/** What a person may change; absent fields stay. */
export interface ProfileChange {
  firstName?: string;
  lastName?: string;
  username?: string;
  phone?: number | null;
  language?: 'en' | 'ar';
  llmModelId?: number | null;
}

export interface EditedProfile {
  first_name: string;
  last_name: string;
  username: string;
  phone: string | null;
  language: string;
  llm_model_id: number | null;
}

const COLUMNS: Record<keyof ProfileChange, string> = {
  firstName: 'first_name',
  lastName: 'last_name',
  username: 'username',
  phone: 'phone',
  language: 'language',
  llmModelId: 'llm_model_id',
};

const NAME_TAKEN = { username: ['A user with that username already exists.'] };

@Injectable()
export class ProfileEdits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly principals: CachedPrincipals,
    private readonly models: ModelCatalog,
    private readonly audit: AuditLog,
  ) {}

  /** A new phone number has to be confirmed again. @throws ValidationError */
  async apply(viewer: Principal, change: ProfileChange): Promise<EditedProfile> {
    this.check(viewer, change);
    const fields = (Object.keys(COLUMNS) as (keyof ProfileChange)[]).filter((field) => change[field] !== undefined);
    const sets = fields.map((field, index) => `${COLUMNS[field]} = $${index + 2}`);
    const phone = fields.indexOf('phone');
    if (phone >= 0) sets.push(`number_verified = number_verified AND phone IS NOT DISTINCT FROM $${phone + 2}::bigint`);
    const edited = await this.dataSource
      .transaction(async (tx) => {
        const [[row]] = await tx.query<[EditedProfile[], number]>(
          `UPDATE users SET ${['is_active = is_active', ...sets].join(', ')} WHERE id = $1
           RETURNING first_name, last_name, username, phone, language, llm_model_id`,
          [viewer.userId, ...fields.map((field) => change[field])],
        );
        if (!row) throw new NotFoundError();
        const details = { fields: fields.map((field) => COLUMNS[field]) };
        const target = `user:${viewer.userId}`;
        await this.audit.record({ action: 'account.updated', actor: viewer, target, details }, tx);
        return row;
      })
      .catch((error: unknown) => {
        throw isNameTaken(error) ? new ValidationError(NAME_TAKEN) : error;
      });
    this.principals.announce({ userId: viewer.userId });
    return edited;
  }

  private check({ email }: Principal, { username, llmModelId }: ProfileChange): void {
    // Sign-in takes either, so a name that is another's address would shut that person out.
    if (username?.includes('@') && username.toLowerCase() !== email.toLowerCase())
      throw new ValidationError({ username: ['A username with an @ must be your own email address.'] });
    if (typeof llmModelId === 'number' && !this.models.isAnswering(llmModelId))
      throw new ValidationError({ llm_model_id: [`Invalid pk "${llmModelId}" - object does not exist.`] });
  }
}

function isNameTaken(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { constraint = '' } = error.driverError as { constraint?: string };
  return constraint === 'users_username_key' || constraint === 'users_username_lower_key';
}
