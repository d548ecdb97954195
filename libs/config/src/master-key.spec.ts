import { hash, randomBytes } from 'node:crypto';
import { isGuessableKey, isMasterKey, whyNoMasterKey } from './master-key.js';

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
    ['a text of another script', Buffer.from('سر من اسرارنا 1!')],
    ['a text with accents', Buffer.from('Ein Schlüssel für große Türen, 1', 'utf8').subarray(0, 32)],
    ['a text in Latin-1', Buffer.from('Schlüssel für die große Tür, 12!', 'latin1')],
    ['a text in UTF-16', Buffer.from('Schlüssel fürs 1', 'utf16le')],
    ['hexadecimal digits', Buffer.from(randomBytes(16).toString('hex'))],
  ])('knows %s', (_name, bytes) => expect(isGuessableKey(base64(bytes))).toBe(true));

  it('believes what was drawn', () => {
    for (let draw = 0; draw < 5_000; draw += 1) {
      const key = hash('sha256', `draw ${draw}`, 'base64');
      expect([key, isGuessableKey(key)]).toEqual([key, false]);
    }
  });
});

describe('whyNoMasterKey', () => {
  const key = randomBytes(32).toString('base64');
  const hex = randomBytes(32).toString('hex');

  it.each([
    ['', 'is empty'],
    [hex, 'is hexadecimal; give it base64'],
    [hex.toUpperCase(), 'is hexadecimal; give it base64'],
    [`0x${hex}`, 'is hexadecimal; give it base64'],
    [`"${key}"`, 'quotes'],
    [`'${key}'`, 'quotes'],
    [`“${key}”`, 'quotes'],
    [`"${key}`, 'quotes'],
    [`"${hex}"`, 'quotes'],
    [` ${key}`, 'blanks'],
    [`${key}\n`, 'blanks'],
    [`${key.slice(0, 20)} ${key.slice(20)}`, 'blanks'],
    ['change-me!', 'characters'],
    [randomBytes(31).toString('base64'), '31 bytes'],
    [randomBytes(33).toString('base64'), '33 bytes'],
    [`${'A'.repeat(42)}B=`, 'cut or mended'],
  ])('says it without the key: %j', (text, why) => {
    expect(isMasterKey(text)).toBe(false);
    const said = whyNoMasterKey(text);
    expect(said).toContain(why);
    for (let at = 0; at + 6 <= text.length; at += 1)
      if (text !== 'change-me!') expect(said).not.toContain(text.slice(at, at + 6));
  });
});
