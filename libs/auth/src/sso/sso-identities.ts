import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { SsoProvider } from './sso-settings.js';

/** Somebody at a provider: the subject means nothing without its issuer. */
export interface Subject {
  provider: SsoProvider;
  issuer: string;
  subject: string;
}

const placeOf = (table: 'sso_identities' | 'passkeys', row: number) => ({ table, column: 'rek_wrapped_sealed', row });

type SealedKey = { from: 'sso_identities' | 'passkeys'; id: number; sealed: Buffer };

/** The links between accounts and people at providers. */
@Injectable()
export class SsoIdentities {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** Also notes the address that the provider gives today. */
  async findUser({ provider, issuer, subject }: Subject, email: string, tx: EntityManager): Promise<number | null> {
    const [row] = await tx.query<{ user_id: number; email: string }[]>(
      'SELECT user_id, email FROM sso_identities WHERE provider = $1 AND issuer = $2 AND subject = $3',
      [provider, issuer, subject],
    );
    if (row && email !== '' && row.email !== email)
      await tx.query('UPDATE sso_identities SET email = $4 WHERE provider = $1 AND issuer = $2 AND subject = $3', [
        provider,
        issuer,
        subject,
        email,
      ]);
    return row?.user_id ?? null;
  }

  async has(userId: number, provider: SsoProvider, tx: EntityManager): Promise<boolean> {
    const rows = await tx.query<unknown[]>('SELECT FROM sso_identities WHERE user_id = $1 AND provider = $2', [
      userId,
      provider,
    ]);
    return rows.length > 0;
  }

  /**
   * Links the account, in place of whom it was linked with at this provider. The wrapped recovery key stays with the
   * same subject; another subject comes with its own or with none.
   * @returns whether the link holds a wrapped recovery key
   * @throws QueryFailedError of `sso_identities_subject_key` when the subject is linked with another account
   */
  async put(
    userId: number,
    { provider, issuer, subject }: Subject,
    email: string,
    wrappedKey: string | null,
    tx: EntityManager,
  ): Promise<boolean> {
    const [row] = await tx.query<[{ id: number; has_key: boolean }]>(
      `INSERT INTO sso_identities (user_id, provider, issuer, subject, email) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (user_id, provider) DO UPDATE SET
         issuer = excluded.issuer, subject = excluded.subject, email = excluded.email, linked_at = now(),
         rek_wrapped_sealed = CASE WHEN (sso_identities.issuer, sso_identities.subject) = (excluded.issuer, excluded.subject)
                                   THEN sso_identities.rek_wrapped_sealed END
       RETURNING id, rek_wrapped_sealed IS NOT NULL AS has_key`,
      [userId, provider, issuer, subject, email],
    );
    if (wrappedKey === null) return row.has_key;
    const sealed = this.sealing.seal(wrappedKey, placeOf('sso_identities', row.id));
    await tx.query('UPDATE sso_identities SET rek_wrapped_sealed = $2 WHERE id = $1', [row.id, sealed]);
    return true;
  }

  /** @returns whether there was a link */
  async remove(userId: number, provider: SsoProvider, tx: EntityManager): Promise<boolean> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM sso_identities WHERE user_id = $1 AND provider = $2',
      [userId, provider],
    );
    return count > 0;
  }

  /**
   * The client's recovery key as it was wrapped for this provider, or else for the newest passkey
   * (docs/contract/accounts.md#keys-of-clients).
   */
  async findWrappedKey(userId: number, provider: SsoProvider): Promise<string | null> {
    const [row] = await this.dataSource.query<SealedKey[]>(
      `SELECT 'sso_identities' AS "from", id, rek_wrapped_sealed AS sealed, 0 AS rank FROM sso_identities
       WHERE user_id = $1 AND provider = $2 AND rek_wrapped_sealed IS NOT NULL
       UNION ALL
       SELECT 'passkeys', id, rek_wrapped_sealed, 1 FROM passkeys
       WHERE user_id = $1 AND rek_wrapped_sealed IS NOT NULL AND suspected_clone_at IS NULL
       ORDER BY rank, id DESC LIMIT 1`,
      [userId, provider],
    );
    return row ? this.sealing.openText(row.sealed, placeOf(row.from, row.id)) : null;
  }
}
