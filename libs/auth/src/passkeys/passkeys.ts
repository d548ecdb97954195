import { AuditLog } from '@app/audit';
import { ConflictError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import type { Principal } from '../principal/principal.js';
import { SignInMethods } from '../sign-in/sign-in-methods.js';

/** A passkey as its owner sees it. */
export interface PasskeySummary {
  id: number;
  credentialId: string;
  name: string;
  aaguid: string;
  transports: string[];
  deviceType: string;
  backedUp: boolean;
  hasEncryptionKey: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Whether it is blocked, since a copy of it seems to be in use. */
  suspectedClone: boolean;
}

export const PASSKEY_COLUMNS = `id, credential_id AS "credentialId", name, aaguid, transports,
  device_type AS "deviceType", backed_up AS "backedUp", rek_wrapped_sealed IS NOT NULL AS "hasEncryptionKey",
  created_at AS "createdAt", last_used_at AS "lastUsedAt", suspected_clone_at IS NOT NULL AS "suspectedClone"`;

export type PasskeyReference = { id: number } | { credentialId: string };

export interface Remaining {
  passkeys: number;
  /** Ways into the account, each passkey that still works counted. */
  signInMethods: number;
}

/** Lists, renames and removes the viewer's passkeys. */
@Injectable()
export class Passkeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly methods: SignInMethods,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first. */
  async listOwn(viewer: Principal): Promise<PasskeySummary[]> {
    return this.dataSource.query<PasskeySummary[]>(
      `SELECT ${PASSKEY_COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY created_at DESC, id DESC`,
      [viewer.userId],
    );
  }

  /** @throws NotFoundError */
  async rename(viewer: Principal, id: number, name: string): Promise<PasskeySummary> {
    return this.dataSource.transaction(async (tx) => {
      const [[renamed]] = await tx.query<[PasskeySummary[], number]>(
        `UPDATE passkeys SET name = $3 WHERE id = $1 AND user_id = $2 RETURNING ${PASSKEY_COLUMNS}`,
        [id, viewer.userId, name],
      );
      if (!renamed) throw new NotFoundError();
      await this.record('passkey.renamed', viewer, renamed, tx);
      return renamed;
    });
  }

  /**
   * @throws NotFoundError
   * @throws ConflictError `last_sign_in_method`: nobody could sign in to the account any more
   */
  async remove(viewer: Principal, reference: PasskeyReference): Promise<Remaining> {
    const { userId } = viewer;
    const remaining = await this.dataSource.transaction(async (tx) => {
      const before = await this.methods.lock(userId, tx);
      const passkey = await this.find(userId, reference, tx);
      if (!passkey) throw new NotFoundError();
      // A suspected clone opens nothing, so it is no method that could be the last one.
      if (!passkey.suspected && before.count <= 1)
        throw new ConflictError('This is the only way left to sign in to the account. Add another one first.', {
          code: 'last_sign_in_method',
        });
      await tx.query('DELETE FROM passkeys WHERE id = $1', [passkey.id]);
      await this.record('passkey.removed', viewer, passkey, tx);
      const [{ passkeys }] = await tx.query<[{ passkeys: number }]>(
        'SELECT count(*)::int AS passkeys FROM passkeys WHERE user_id = $1',
        [userId],
      );
      return { passkeys, signInMethods: (await this.methods.of(userId, tx)).count };
    });
    this.principals.announce({ userId });
    return remaining;
  }

  private async find(userId: number, reference: PasskeyReference, tx: EntityManager) {
    const [column, value] = 'id' in reference ? ['id', reference.id] : ['credential_id', reference.credentialId];
    const [passkey] = await tx.query<{ id: number; name: string; suspected: boolean }[]>(
      `SELECT id, name, suspected_clone_at IS NOT NULL AS suspected FROM passkeys
       WHERE user_id = $1 AND ${column} = $2`,
      [userId, value],
    );
    return passkey ?? null;
  }

  private record(
    action: 'passkey.renamed' | 'passkey.removed',
    { userId, username }: Principal,
    { id, name }: { id: number; name: string },
    tx: EntityManager,
  ): Promise<void> {
    const details = { passkey_id: id, name };
    return this.audit.record({ action, actor: { userId, username }, target: `user:${userId}`, details }, tx);
  }
}
