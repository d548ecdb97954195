import { randomBytes } from 'node:crypto';
import { KeyRing } from './key-ring.js';
import { sealedPrefix, SealingService, UnsealableError } from './sealing.service.js';

const key = () => randomBytes(32).toString('base64');
const place = { table: 'passkeys', column: 'rek_wrapped_sealed', row: 7 };

describe('SealingService', () => {
  const first = key();
  const sealing = new SealingService(new KeyRing(first));

  it('opens what it sealed, text and bytes, and never seals the same way twice', () => {
    expect(sealing.openText(sealing.seal('geheim ‎سر', place), place)).toBe('geheim ‎سر');
    expect(sealing.open(sealing.seal(Buffer.alloc(0), place), place)).toHaveLength(0);
    expect(sealing.seal('x', place).equals(sealing.seal('x', place))).toBe(false);
  });

  it.each([{ row: 8 }, { column: 'other' }, { table: 'others' }])('refuses a value that was moved: %j', (moved) => {
    expect(() => sealing.open(sealing.seal('x', place), { ...place, ...moved })).toThrow(UnsealableError);
  });

  it('refuses every altered byte', () => {
    const sealed = sealing.seal('secret', place);
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed);
      altered[at]! ^= 1;
      expect(() => sealing.open(altered, place)).toThrow(UnsealableError);
    }
    expect(() => sealing.open(sealed.subarray(0, 20), place)).toThrow(UnsealableError);
  });

  it('reads values of an earlier key, wraps them anew, and then needs that key no more', () => {
    const second = key();
    const rotated = new SealingService(new KeyRing(second, [first]));
    const sealed = sealing.seal('secret', place);
    expect(rotated.openText(sealed, place)).toBe('secret');
    const rewrapped = rotated.rewrap(sealed, place)!;
    expect(rewrapped.subarray(0, 5).equals(sealedPrefix(rotated.currentKid))).toBe(true);
    expect(rotated.rewrap(rewrapped, place)).toBeNull();
    const alone = new SealingService(new KeyRing(second));
    expect(alone.openText(rewrapped, place)).toBe('secret');
    expect(() => alone.open(sealed, place)).toThrow('SECRETS_PREVIOUS_KEYS');
    expect([alone.openTextOrNull(sealed, place), rotated.openTextOrNull(sealed, place)]).toEqual([null, 'secret']);
    expect(() => rotated.rewrap(sealed, { ...place, row: 9 })).toThrow(UnsealableError);
  });
});
