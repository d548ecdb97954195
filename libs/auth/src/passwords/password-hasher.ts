import { createHmac } from 'node:crypto';
import { compare, genSalt, hash } from 'bcrypt';
import { Turnstile } from './turnstile.js';

/** Two of libuv's four threads, so that files and names are still read while people sign in. */
const AT_ONCE = 2;
const MAY_WAIT = 200;

/**
 * bcrypt off the event loop, a few at a time. Passwords are hashed to 43 characters first, since bcrypt reads only
 * 72 bytes and stops at a NUL.
 */
export class PasswordHasher {
  private readonly turnstile: Turnstile;
  private readonly decoy: Promise<string>;

  /**
   * @param cost the power of two of bcrypt's rounds
   * @param atOnce how many threads it may fill
   */
  constructor(
    private readonly cost: number,
    atOnce = AT_ONCE,
  ) {
    this.turnstile = new Turnstile(atOnce, MAY_WAIT);
    this.decoy = genSalt(cost).then((salt) => `${salt}${'.'.repeat(31)}`);
  }

  async hash(password: string): Promise<string> {
    return this.turnstile.pass(() => hash(digest(composed(password)), this.cost));
  }

  /** Takes the same time when there is no hash to compare with, so that nobody learns which accounts exist. */
  async verify(password: string, passwordHash: string | null): Promise<boolean> {
    const against = passwordHash ?? (await this.decoy);
    for (const form of new Set([composed(password), password]))
      if (await this.turnstile.pass(() => compare(digest(form), against))) return passwordHash !== null;
    return false;
  }
}

/** Keyboards differ in whether an `é` is one character or two (RFC 8265, section 4.2). Hashes of before are of what was typed. */
const composed = (password: string): string => password.normalize('NFC');

function digest(password: string): string {
  return createHmac('sha256', 'atrium:password').update(password).digest('base64url');
}
