import { InvalidEventError } from '@app/integrations';
import { TestSignatures } from './test-signatures.js';

describe('signatures of the test processor', () => {
  const signatures = new TestSignatures(Buffer.alloc(32, 1));
  const now = Date.UTC(2026, 10, 28);
  const event = {
    id: 'tev_1',
    type: 'checkout.changed',
    created: now,
    object: { kind: 'checkout', id: 'tcs_1' },
  } as const;
  const { rawBody, signature } = signatures.write(event, now);
  const changedAt = (place: number) => {
    const changed = Buffer.from(rawBody);
    changed[place]! ^= 1;
    return changed;
  };

  it('are good for five minutes, before and after', () => {
    for (const at of [now, now + 299_000, now - 299_000])
      expect(signatures.read(rawBody, signature, at)).toEqual({
        id: 'tev_1',
        type: 'checkout.changed',
        createdAt: now,
        object: { kind: 'checkout', id: 'tcs_1' },
      });
  });

  it.each<[string, () => unknown]>([
    ['six minutes old', () => signatures.read(rawBody, signature, now + 360_000)],
    ['six minutes ahead', () => signatures.read(rawBody, signature, now - 360_000)],
    ['of another key', () => new TestSignatures(Buffer.alloc(32, 2)).read(rawBody, signature, now)],
    [
      'of another time',
      () =>
        signatures.read(
          rawBody,
          signature.replace(/t=(\d+)/, (_, t: string) => `t=${Number(t) + 1}`),
          now,
        ),
    ],
    ['not there', () => signatures.read(rawBody, '', now)],
    ['no signature', () => signatures.read(rawBody, 't=1,v1=00', now)],
    ['of a body without its last byte', () => signatures.read(rawBody.subarray(0, -1), signature, now)],
  ])('are refused when they are %s', (_, read) => {
    expect(read).toThrow(InvalidEventError);
  });

  it('cover each byte', () => {
    for (let place = 0; place < rawBody.length; place += 1)
      expect(() => signatures.read(changedAt(place), signature, now)).toThrow(InvalidEventError);
  });
});
