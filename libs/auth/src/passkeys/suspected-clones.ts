import { AuditLog } from '@app/audit';
import { type Language, Messages } from '@app/messages';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';

type Owner = { username: string; email: string; first_name: string; language: Language };

/** A key that lives on one device counted backwards: a copy of it is in use somewhere. */
@Injectable()
export class SuspectedClones {
  constructor(
    private readonly dataSource: DataSource,
    private readonly messages: Messages,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** Takes the passkey out of use, once, and tells its owner. */
  async suspect(passkeyId: number): Promise<void> {
    const told = await this.dataSource.transaction(async (tx) => {
      const [[passkey]] = await tx.query<[{ user_id: number; name: string; at: Date }[], number]>(
        `UPDATE passkeys SET suspected_clone_at = now() WHERE id = $1 AND suspected_clone_at IS NULL
         RETURNING user_id, name, suspected_clone_at AS at`,
        [passkeyId],
      );
      if (!passkey) return null;
      const { user_id: userId, name: passkeyName, at } = passkey;
      const [owner] = await tx.query<[Owner]>('SELECT username, email, first_name, language FROM users WHERE id = $1', [
        userId,
      ]);
      await this.audit.record(
        {
          action: 'passkey.suspected_clone',
          outcome: 'failure',
          actor: null,
          subjectId: userId,
          target: `user:${userId}`,
          details: { passkey_id: passkeyId, name: passkeyName },
        },
        tx,
      );
      const receipt = await this.messages.enqueue(
        {
          channel: 'mail',
          template: 'passkey-clone',
          language: owner.language,
          to: owner.email,
          userId,
          params: { name: owner.first_name || owner.username, passkeyName, at: at.toISOString() },
        },
        tx,
      );
      return { userId, receipt };
    });
    if (!told) return;
    this.messages.publish(told.receipt);
    this.principals.announce({ userId: told.userId });
  }
}
