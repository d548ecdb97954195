import { PasswordHasher, passwordProblems } from '@app/auth';
import { type FieldErrors, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DEFAULT_MODEL_ID } from '../profile/model-catalog.js';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';

export interface NewAccount {
  username: string;
  email: string;
  password: string;
  firstName: string;
  lastName: string;
  phone: number | null;
  promoCode: string;
}

const TAKEN = {
  username: 'A user with that username already exists.',
  email: 'A user with that email already exists.',
};

/** Which field a unique index speaks for. */
const INDEXES: Record<string, keyof typeof TAKEN> = {
  users_username_key: 'username',
  users_username_lower_key: 'username',
  users_email_lower_key: 'email',
};

/** Makes accounts (document 1, section 4.2). */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly hasher: PasswordHasher,
  ) {}

  /** @throws ValidationError naming every wrong field */
  async register(account: NewAccount): Promise<number> {
    const errors = await this.problems(account);
    if (Object.keys(errors).length > 0) throw new ValidationError(errors);
    const passwordHash = await this.hasher.hash(account.password);
    try {
      return await this.dataSource.transaction((tx) => this.insert(account, passwordHash, tx));
    } catch (error) {
      const field = takenField(error);
      throw field ? new ValidationError({ [field]: [TAKEN[field]] }) : error;
    }
  }

  /** Names and addresses are compared without regard to case; an account's name is not somebody else's address. */
  async isTaken(field: 'username' | 'email', value: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM users WHERE lower(${field}) = lower($1) LIMIT 1`,
      [value],
    );
    return rows.length > 0;
  }

  private async problems(account: NewAccount): Promise<FieldErrors> {
    const [usernameTaken, emailTaken] = await Promise.all([
      this.isTaken('username', account.username),
      this.isTaken('email', account.email),
    ]);
    // Sign-in takes either, so a name that is another's address would shut that person out.
    const borrowed = account.username.includes('@') && account.username.toLowerCase() !== account.email.toLowerCase();
    const username = [
      ...(usernameTaken ? [TAKEN.username] : []),
      ...(borrowed ? ['A username with an @ must be your own email address.'] : []),
    ];
    const email = emailTaken ? [TAKEN.email] : [];
    const password = passwordProblems(account.password, account);
    const promoCode = account.promoCode === '' ? [] : ['This promo code is unknown or has already been redeemed.'];
    return Object.fromEntries(
      Object.entries({ username, email, password, promo_code: promoCode }).filter(
        ([, messages]) => messages.length > 0,
      ),
    );
  }

  private async insert(account: NewAccount, passwordHash: string, tx: EntityManager): Promise<number> {
    const domain = account.email.slice(account.email.lastIndexOf('@') + 1).toLowerCase();
    const [user] = await tx.query<[{ id: number }]>(
      `WITH existing AS (SELECT id FROM organizations WHERE domain = $1),
            personal AS (
              INSERT INTO organizations (name, personal) SELECT $2, true WHERE NOT EXISTS (SELECT FROM existing) RETURNING id
            ),
            account AS (
              INSERT INTO users (username, email, password_hash, first_name, last_name, phone, llm_model_id, organization_id)
              SELECT $3, $4, $5, $6, $7, $8, $9, id FROM (SELECT id FROM existing UNION ALL SELECT id FROM personal) o
              RETURNING id
            ),
            role AS (
              INSERT INTO user_roles (user_id, role_id)
              SELECT account.id, roles.id FROM account, roles WHERE roles.name = 'General'
            )
       SELECT id FROM account`,
      [
        domain,
        `${account.username} (personal)`,
        account.username,
        account.email,
        passwordHash,
        account.firstName,
        account.lastName,
        account.phone,
        DEFAULT_MODEL_ID,
      ],
    );
    return user.id;
  }
}

function takenField(error: unknown): keyof typeof TAKEN | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { constraint } = error.driverError as { constraint?: string };
  return INDEXES[constraint ?? ''];
}
