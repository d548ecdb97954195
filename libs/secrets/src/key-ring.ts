import { createHash, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

export interface MasterKey {
  /** Eight hexadecimal digits of the key's SHA-256: which key sealed a value, without naming the key. */
  readonly kid: string;
  readonly bytes: Buffer;
}

/** The master keys of a deployment: new values are sealed under the first, values of the others can be read. */
export class KeyRing {
  readonly current: MasterKey;
  private readonly byKid: ReadonlyMap<string, MasterKey>;

  /**
   * @param current 32 bytes in base64
   * @param previous earlier keys, readable until everything is sealed anew
   */
  constructor(current: string, previous: readonly string[] = []) {
    this.current = masterKey(current);
    this.byKid = new Map([...previous.map(masterKey), this.current].map((key) => [key.kid, key]));
  }

  /** The current one first. */
  get all(): readonly MasterKey[] {
    return [this.current, ...[...this.byKid.values()].filter(({ kid }) => kid !== this.current.kid)];
  }

  find(kid: string): MasterKey | undefined {
    return this.byKid.get(kid);
  }

  /** A key of 32 bytes for one purpose, the same in all processes; another one after a rotation. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.current.bytes, '', purpose, KEY_BYTES));
  }
}

function masterKey(base64: string): MasterKey {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error('A master key must be 32 bytes in base64.');
  return { kid: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}
