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
}
