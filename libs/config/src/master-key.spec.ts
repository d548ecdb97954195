import { hash, randomBytes } from 'node:crypto';
import { isGuessableKey, isMasterKey } from './master-key.js';

const base64 = (bytes: ArrayLike<number>): string => Buffer.from(Array.from(bytes)).toString('base64');

const range = (step: number, from = 0) => Array.from({ length: 32 }, (_, i) => (from + i * step) % 256);

describe('isMasterKey', () => {
  const key = randomBytes(32).toString('base64');

  it.each([[key], [key.slice(0, -1)], [Buffer.from(key, 'base64').toString('base64url')]])('takes %s', (text) =>
    expect(isMasterKey(text)).toBe(true),
  );

  it.each([
    [''],
    [randomBytes(31).toString('base64')],
    [randomBytes(33).toString('base64')],
    [randomBytes(32).toString('hex')],
    [` ${key}`],
    [`${key}\n`],
    [`"${key}"`],
    [`${key.slice(0, 20)}!${key.slice(21)}`],
    // The last letter has bits that belong to no byte.
    [`${'A'.repeat(42)}B=`],
    ['change-me'],
  ])('refuses %j', (text) => expect(isMasterKey(text)).toBe(false));
});

describe('isGuessableKey', () => {
  it.each([
    ['zeros', new Uint8Array(32)],
    ['one byte', new Uint8Array(32).fill(255)],
    ['a pattern', Buffer.alloc(32, 'abcd')],
    ['the digest of nothing twice', Buffer.alloc(32, randomBytes(16))],
    ['counting', range(1)],
    ['counting back', range(255, 200)],
    ['steps', range(7)],
    ['two rows', [...range(1).slice(0, 16), ...range(3, 90).slice(0, 16)]],
    ['a text', Buffer.from('correct horse battery staple 123')],
    ['hexadecimal digits', Buffer.from(randomBytes(16).toString('hex'))],
  ])('knows %s', (_name, bytes) => expect(isGuessableKey(base64(bytes))).toBe(true));

  it('believes what was drawn', () => {
    for (let draw = 0; draw < 5_000; draw += 1) {
      const key = hash('sha256', `draw ${draw}`, 'base64');
      expect([key, isGuessableKey(key)]).toEqual([key, false]);
    }
  });
});
