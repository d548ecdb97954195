import { type IssuedSession, PasswordHasher, SessionService, type SignInOrigin } from '@app/auth';
import { ValidationError } from '@app/common';
import { DataSource } from 'typeorm';

type Account = {
  id: number;
  password_hash: string | null;
  is_active: boolean;
  verified: boolean;
  email_verified: boolean;
};

const refused = (message: string) => new ValidationError({ non_field_errors: [message] });

/** Sign-in by user name or e-mail address, and what may stand against it (document 1, section 4.1). */
export class PasswordSignIn {
  constructor(
    private readonly dataSource: DataSource,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionService,
    private readonly emailVerification: boolean,
  ) {}

  /** @throws ValidationError under `non_field_errors` */
  async signIn(login: string, password: string, origin: Omit<SignInOrigin, 'method'>): Promise<IssuedSession> {
    const [account] = await this.dataSource.query<Account[]>(
      `SELECT id, password_hash, is_active, verified, email_verified FROM users
       WHERE username = $1 OR email = $1 ORDER BY (username = $1) DESC LIMIT 1`,
      [login],
    );
    const matches = await this.hasher.verify(password, account?.password_hash ?? null);
    if (!account || !matches) throw refused('Unable to log in with provided credentials.');
    if (!account.is_active) throw refused('User account is disabled.');
    if (this.emailVerification && !account.verified) throw refused('User account is not verified.');
    if (this.emailVerification && !account.email_verified) throw refused('Email address is not verified.');
    return this.sessions.begin(account.id, { ...origin, method: 'password' });
  }
}
