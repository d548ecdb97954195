import type { EntityManager } from 'typeorm';

/** Somebody by their address; nobody has confirmed it when `id` is null. */
export interface Addressed {
  address: string;
  id: number | null;
  username: string | null;
}

/**
 * Whether an account may be found by its address (docs/contract/accounts.md#invitations). Where addresses are
 * confirmed only those that were
 * count: anybody can register with an address that is not theirs. Where they are not the deployment vouches for them.
 */
export class AddressTrust {
  constructor(private readonly confirmedOnly: boolean) {}

  /** SQL: whether the row of `users` under this alias has its address for sure. */
  condition(alias: string): string {
    return this.confirmedOnly ? `${alias}.email_verified` : 'true';
  }

  /** Postgres decides which addresses are the same but for their case. A deactivated account is not found. */
  async findAddressed(tx: EntityManager, emails: readonly string[]): Promise<Addressed[]> {
    return tx.query<Addressed[]>(
      `SELECT once.address, u.id, u.username FROM (
         SELECT DISTINCT ON (lower(e)) e AS address, n FROM unnest($1::text[]) WITH ORDINALITY AS given (e, n)
         ORDER BY lower(e), n) AS once
       LEFT JOIN users u ON u.is_active AND lower(u.email) = lower(once.address) AND ${this.condition('u')}
       ORDER BY once.n`,
      [emails],
    );
  }
}
