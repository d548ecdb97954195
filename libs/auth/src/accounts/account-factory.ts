import { ValidationError } from '@app/common';
import { type EntityManager, QueryFailedError } from 'typeorm';

export interface AccountFields {
  username: string;
  email: string;
  /** Null when the account has no usable password. */
  passwordHash: string | null;
  firstName: string;
  lastName: string;
  /** Digits. */
  phone: number | null;
  language?: 'en' | 'ar';
  /** Null for a personal organisation of its own. Its seat is claimed before (`Seats`). */
  organizationId: number | null;
  /** Approved. */
  verified: boolean;
  emailVerified: boolean;
}

export const TAKEN = {
  username: 'A user with that username already exists.',
  email: 'A user with that email already exists.',
};

/** Which field a unique index speaks for. */
const INDEXES: Record<string, keyof typeof TAKEN> = {
  users_username_key: 'username',
  users_username_lower_key: 'username',
  users_email_lower_key: 'email',
};

/** @returns the error that clients read when a name or an address was taken a moment ago; others as they are */
export function asTakenError(error: unknown): unknown {
  if (!(error instanceof QueryFailedError)) return error;
  const { constraint } = error.driverError as { constraint?: string };
  const field = INDEXES[constraint ?? ''];
  return field ? new ValidationError({ [field]: [TAKEN[field]] }) : error;
}

/** Writes accounts: registration, single sign-on and SCIM alike give them the role `General` and the default model. */
export class AccountFactory {
  /** @param defaultModelId the model that answers where nobody chose, at the time */
  constructor(private readonly defaultModelId: () => number) {}

  /**
   * @returns the account's number
   * @throws ValidationError for a name or address that is taken; the transaction is lost then
   */
  async create(account: AccountFields, tx: EntityManager): Promise<number> {
    try {
      const [user] = await tx.query<[{ id: number }]>(
        `WITH personal AS (
           INSERT INTO organizations (name, personal) SELECT $1, true WHERE $2::int IS NULL RETURNING id
         ), account AS (
           INSERT INTO users (username, email, password_hash, first_name, last_name, phone, llm_model_id, language,
                              verified, email_verified, organization_id)
           SELECT $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($2, (SELECT id FROM personal))
           RETURNING id
         ), role AS (
           INSERT INTO user_roles (user_id, role_id)
           SELECT account.id, roles.id FROM account, roles WHERE roles.name = 'General'
         )
         SELECT id FROM account`,
        [
          `${account.username} (personal)`,
          account.organizationId,
          account.username,
          account.email,
          account.passwordHash,
          account.firstName,
          account.lastName,
          account.phone,
          this.defaultModelId(),
          account.language ?? 'en',
          account.verified,
          account.emailVerified,
        ],
      );
      return user.id;
    } catch (error) {
      throw asTakenError(error);
    }
  }

  /** A free user name made of the address's local part: `ada`, `ada2`, `ada3`. */
  async deriveUsername(email: string, tx: EntityManager): Promise<string> {
    const local = email.slice(0, Math.max(0, email.lastIndexOf('@')));
    const stem = local.replaceAll(/[^\p{L}\p{N}.+_-]+/gu, '').slice(0, 120) || 'user';
    const taken = await tx.query<{ name: string }[]>(
      `SELECT lower(username) AS name FROM users WHERE lower(username) = lower($1) OR lower(username) ~ $2`,
      [stem, `^${stem.toLowerCase().replaceAll(/[.+]/g, '\\$&')}[0-9]+$`],
    );
    const names = new Set(taken.map(({ name }) => name));
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? stem : `${stem}${number}`;
      if (!names.has(candidate.toLowerCase())) return candidate;
    }
  }
}
