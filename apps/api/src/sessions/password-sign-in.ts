import { PasswordHasher } from '@app/auth';
import { ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

type Account = { id: number; password_hash: string | null };

/** Finds the account that a name or an address and a password prove (document 1, section 4.1). */
@Injectable()
export class PasswordSignIn {
  constructor(
    private readonly dataSource: DataSource,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * @returns the account's number
   * @throws ValidationError under `non_field_errors`, the same for an unknown account and a wrong password
   */
  async verify(login: string, password: string): Promise<number> {
    const [account] = await this.dataSource.query<Account[]>(
      `SELECT id, password_hash FROM users
       WHERE username = $1 OR email = $1 ORDER BY (username = $1) DESC LIMIT 1`,
      [login],
    );
    const matches = await this.hasher.verify(password, account?.password_hash ?? null);
    if (!account || !matches)
      throw new ValidationError({ non_field_errors: ['Unable to log in with provided credentials.'] });
    return account.id;
  }
}
