import { createHmac } from 'node:crypto';
import { UnavailableError } from '@app/common';
import { compare, genSalt, hash } from 'bcrypt';

/** Two of libuv's four threads at most, so that files and names are still read while people sign in. */
const AT_ONCE = 2;
const MAY_WAIT = 200;

/**
 * bcrypt off the event loop, a few at a time. Passwords are hashed to 43 characters first, since bcrypt reads only
 * 72 bytes and stops at a NUL.
 */
export class PasswordHasher {
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private readonly decoy: Promise<string>;

  /** @param cost the power of two of bcrypt's rounds */
  constructor(private readonly cost: number) {
    this.decoy = genSalt(cost).then((salt) => `${salt}${'.'.repeat(31)}`);
  }

  async hash(password: string): Promise<string> {
    return this.limited(() => hash(digest(password), this.cost));
  }

  /** Takes the same time when there is no hash to compare with, so that nobody learns which accounts exist. */
  async verify(password: string, passwordHash: string | null): Promise<boolean> {
    const against = passwordHash ?? (await this.decoy);
    const equal = await this.limited(() => compare(digest(password), against));
    return equal && passwordHash !== null;
  }

  private async limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= AT_ONCE) {
      if (this.waiting.length >= MAY_WAIT)
        throw new UnavailableError('Too many people are signing in. Try again shortly.');
      await new Promise<void>((turn) => this.waiting.push(turn));
    } else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

function digest(password: string): string {
  return createHmac('sha256', 'atrium:password').update(password).digest('base64url');
}
