import { AuditLog } from '@app/audit';
import { type FieldErrors, ForbiddenError, ValidationError } from '@app/common';
import { Messages } from '@app/messages';
import { DataSource, type EntityManager } from 'typeorm';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { passwordProblems } from '../passwords/password-rules.js';
import { AccountFactory, TAKEN } from './account-factory.js';
import { AddressConfirmation } from './address-confirmation.js';
import { BORROWED_NAME, isBorrowedName } from './named-account.js';
import { PromoCodes } from './promo-codes.js';
import { Seats } from './seats.js';

export interface NewAccount {
  username: string;
  email: string;
  password: string;
  firstName: string;
  lastName: string;
  phone: number | null;
  promoCode: string;
  language: 'en' | 'ar';
}

const WRONG_PROMO_CODE = 'This promo code is unknown or has already been redeemed.';

/** Makes accounts for people who register (docs/contract/accounts.md#registration). */
export class RegistrationService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly hasher: PasswordHasher,
    private readonly accounts: AccountFactory,
    private readonly seats: Seats,
    private readonly promoCodes: PromoCodes,
    private readonly confirmation: AddressConfirmation,
    private readonly messages: Messages,
    private readonly audit: AuditLog,
    private readonly mode: 'open' | 'sso_only',
  ) {}

  /**
   * @throws ValidationError naming every wrong field
   * @throws ForbiddenError (`registration_disabled`)
   */
  async register(account: NewAccount): Promise<number> {
    if (this.mode === 'sso_only')
      throw new ForbiddenError('Registration is disabled here. Sign in with your organization.', {
        code: 'registration_disabled',
      });
    const errors = await this.problems(account);
    if (Object.keys(errors).length > 0) throw new ValidationError(errors);
    const passwordHash = await this.hasher.hash(account.password);
    const { id, receipt } = await this.dataSource.transaction((tx) => this.write(account, passwordHash, tx));
    this.messages.publish(receipt);
    return id;
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
    const { username: name, email: address, promoCode } = account;
    const [usernameTaken, emailTaken, promoCodeLive] = await Promise.all([
      this.isTaken('username', name),
      this.isTaken('email', address),
      promoCode === '' || this.promoCodes.isLive(promoCode),
    ]);
    const found: FieldErrors = {
      username: [...(usernameTaken ? [TAKEN.username] : []), ...(isBorrowedName(name, address) ? [BORROWED_NAME] : [])],
      email: emailTaken ? [TAKEN.email] : [],
      password: passwordProblems(account.password, account),
      promo_code: promoCodeLive ? [] : [WRONG_PROMO_CODE],
    };
    return Object.fromEntries(Object.entries(found).filter(([, messages]) => messages.length > 0));
  }

  private async write(account: NewAccount, passwordHash: string, tx: EntityManager) {
    const { username, email, promoCode, language } = account;
    const organizationId = await this.organizationFor(email, tx);
    const verified = promoCode !== '';
    const id = await this.accounts.create(
      { ...account, passwordHash, organizationId, verified, emailVerified: false },
      tx,
    );
    if (verified && !(await this.promoCodes.redeem(promoCode, id, tx)))
      throw new ValidationError({ promo_code: [WRONG_PROMO_CODE] });
    const actor = { userId: id, username };
    await this.audit.record(
      { action: 'account.registered', actor, target: `user:${id}`, details: { promo_code: verified } },
      tx,
    );
    const receipt = await this.confirmation.sendCode({ id, email, language, firstName: account.firstName }, tx);
    return { id, receipt };
  }

  /** The organisation of the address's domain; null, for a personal one, when there is none or it is full. */
  private async organizationFor(email: string, tx: EntityManager): Promise<number | null> {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    const [organization] = await tx.query<{ id: number }[]>('SELECT id FROM organizations WHERE domain = $1', [domain]);
    return organization && (await this.seats.lockFree(organization.id, tx)) ? organization.id : null;
  }
}
