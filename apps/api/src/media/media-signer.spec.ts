import { randomBytes } from 'node:crypto';
import { KeyRing } from '@app/secrets';
import { MediaSigner, type MediaGrant } from './media-signer.js';

const newKey = () => randomBytes(32).toString('base64');
const ringOf = (...previous: string[]) => new KeyRing(newKey(), previous);
const PATH = '/media/documents/4f0c1e4e-9a0f-4a1e-9a52-0d3f4f0c1e4e/a%20b.pdf';
const NOW = 1_800_000_000;

describe('MediaSigner', () => {
  const signer = new MediaSigner(ringOf());
  const signed = (grant: Partial<MediaGrant> = {}) =>
    Object.fromEntries(
      new URLSearchParams(signer.sign({ path: PATH, exp: NOW + 60, disposition: 'inline', viewerId: 7, ...grant })),
    );

  it('accepts what it signed, until it expires', () => {
    const grant = { path: PATH, exp: NOW + 60, disposition: 'inline', viewerId: 7 };
    expect(signer.verify(PATH, signed(), NOW)).toEqual(grant);
    expect(signer.verify(PATH, signed({ viewerId: null }), NOW)).toEqual({ ...grant, viewerId: null });
    expect(signer.verify(PATH, signed({ disposition: 'attachment' }), NOW).disposition).toBe('attachment');
    expect(() => signer.verify(PATH, signed(), NOW + 60)).toThrow(
      expect.objectContaining({ code: 'media_signature_expired' }),
    );
  });

  it.each([
    ['another path', `${PATH}x`, {}],
    ['a longer life', PATH, { exp: String(NOW + 3600) }],
    ['another disposition', PATH, { disposition: 'attachment' }],
    ['another viewer', PATH, { u: '8' }],
    ['no viewer', PATH, { u: undefined }],
    ['another key', PATH, { kid: '2' }],
    ['no signature', PATH, { sig: undefined }],
    ['a list of signatures', PATH, { sig: ['a', 'b'] }],
    ['a forged past', PATH, { exp: '1' }],
  ])('refuses %s as not valid', (_name, path, change) => {
    expect(() => signer.verify(path, { ...signed(), ...change }, NOW)).toThrow(
      expect.objectContaining({ code: 'media_signature_invalid' }),
    );
  });

  it('accepts what was signed under an earlier key, as long as the ring holds it', () => {
    const first = newKey();
    const query = Object.fromEntries(
      new URLSearchParams(
        new MediaSigner(new KeyRing(first)).sign({ path: PATH, exp: NOW + 60, disposition: 'inline', viewerId: null }),
      ),
    );
    expect(new MediaSigner(ringOf(first)).verify(PATH, query, NOW).path).toBe(PATH);
    expect(() => new MediaSigner(ringOf()).verify(PATH, query, NOW)).toThrow('not valid');
  });

  it('does not accept the signature of another deployment', () => {
    expect(() => new MediaSigner(ringOf()).verify(PATH, signed(), NOW)).toThrow('not valid');
  });
});
