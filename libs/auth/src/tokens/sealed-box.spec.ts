import { SealedBox } from './sealed-box.js';

describe('SealedBox', () => {
  const key = Buffer.alloc(32, 1).toString('base64');
  const box = new SealedBox(key, 'test');
  const sealed = box.seal('the tokens', 'row 1');

  it('opens what it sealed, and seals differently each time', () => {
    expect(box.open(sealed, 'row 1')).toBe('the tokens');
    expect(box.seal('the tokens', 'row 1')).not.toEqual(sealed);
    expect(sealed.toString('latin1')).not.toContain('the tokens');
  });

  it('does not open for another row, key or purpose, nor with a byte changed or missing', () => {
    const changed = Buffer.from(sealed);
    changed[14] = changed[14]! ^ 1;
    expect(box.open(sealed, 'row 2')).toBeNull();
    expect(box.open(changed, 'row 1')).toBeNull();
    expect(box.open(sealed.subarray(0, -1), 'row 1')).toBeNull();
    expect(box.open(Buffer.alloc(3), 'row 1')).toBeNull();
    expect(new SealedBox(key, 'other').open(sealed, 'row 1')).toBeNull();
    expect(new SealedBox(Buffer.alloc(32, 2).toString('base64'), 'test').open(sealed, 'row 1')).toBeNull();
  });
});
