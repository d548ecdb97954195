import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { DomainError, ForbiddenError } from '@app/common';

export type MediaDisposition = 'inline' | 'attachment';

export interface MediaGrant {
  /** Media path, percent-encoded, beginning with `/media/`. */
  path: string;
  /** Seconds since the epoch. */
  exp: number;
  disposition: MediaDisposition;
}

/** Names the key, so that a later one can take over while old addresses still work. */
const KID = '1';

/** Signs addresses under `/media/` (document 3, B11): whoever holds one may read the file until it expires. */
export class MediaSigner {
  private readonly key: Buffer;

  /** @param secretsKey the deployment's master key; the signing key is derived from it */
  constructor(secretsKey: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', secretsKey, '', `atrium media signature ${KID}`, 32));
  }

  /** The query that makes the path readable, without the question mark. */
  sign(grant: MediaGrant): string {
    const query = new URLSearchParams({ exp: String(grant.exp), kid: KID, sig: this.mac(grant) });
    if (grant.disposition === 'attachment') query.set('disposition', 'attachment');
    return query.toString();
  }

  /**
   * @param nowSeconds seconds since the epoch
   * @throws ForbiddenError `media_signature_invalid`; `media_signature_expired` only for what was once signed
   */
  verify(path: string, query: Record<string, unknown>, nowSeconds: number): MediaGrant {
    const { exp, kid, sig, disposition } = query;
    const grant: MediaGrant = {
      path,
      exp: typeof exp === 'string' && /^\d{1,12}$/.test(exp) ? Number(exp) : 0,
      disposition: disposition === 'attachment' ? 'attachment' : 'inline',
    };
    const expected = Buffer.from(this.mac(grant));
    const given = Buffer.from(typeof sig === 'string' ? sig : '');
    const genuine = given.length === expected.length && timingSafeEqual(given, expected);
    if (!genuine || kid !== KID) throw invalid();
    if (grant.exp <= nowSeconds) throw expired();
    return grant;
  }

  /** GET and HEAD are one method class, `read`; others cannot be signed. */
  private mac({ path, exp, disposition }: MediaGrant): string {
    return createHmac('sha256', this.key).update(`read\n${path}\n${exp}\n${disposition}`).digest('base64url');
  }
}

const invalid = (): DomainError =>
  new ForbiddenError('The signature of this address is not valid.', { code: 'media_signature_invalid' });
const expired = (): DomainError =>
  new ForbiddenError('This address has expired. Sign the path again.', { code: 'media_signature_expired' });
