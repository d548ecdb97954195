import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { DomainError, ForbiddenError } from '@app/common';
import { KeyRing } from '@app/secrets';
import { Injectable } from '@nestjs/common';

export type MediaDisposition = 'inline' | 'attachment';

export interface MediaGrant {
  /** Media path, percent-encoded, beginning with `/media/`. */
  path: string;
  /** Seconds since the epoch. */
  exp: number;
  disposition: MediaDisposition;
  /** Whose right to read the file it hands on, and only while that lasts; null for a right that cannot be taken back. */
  viewerId: number | null;
}

/**
 * Signs addresses under `/media/` (docs/contract/artifacts.md#signed-addresses): whoever holds one may read the file
 * until it expires.
 */
@Injectable()
export class MediaSigner {
  /** By the id of the master key that it is derived from: addresses signed under an earlier one work until they expire. */
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly kid: string;

  constructor(ring: KeyRing) {
    this.kid = ring.current.kid;
    this.keys = new Map(
      ring.all.map(({ kid, bytes }) => [kid, Buffer.from(hkdfSync('sha256', bytes, '', 'atrium media signature', 32))]),
    );
  }

  /** The query that makes the path readable, without the question mark. */
  sign(grant: MediaGrant): string {
    const query = new URLSearchParams({
      exp: String(grant.exp),
      kid: this.kid,
      sig: this.mac(grant, this.keys.get(this.kid)!),
    });
    if (grant.disposition === 'attachment') query.set('disposition', 'attachment');
    if (grant.viewerId !== null) query.set('u', String(grant.viewerId));
    return query.toString();
  }

  /**
   * @param nowSeconds seconds since the epoch
   * @throws ForbiddenError `media_signature_invalid`; `media_signature_expired` only for what was once signed
   */
  verify(path: string, query: Record<string, unknown>, nowSeconds: number): MediaGrant {
    const { exp, kid, sig, disposition, u } = query;
    const grant: MediaGrant = {
      path,
      exp: typeof exp === 'string' && /^\d{1,12}$/.test(exp) ? Number(exp) : 0,
      disposition: disposition === 'attachment' ? 'attachment' : 'inline',
      viewerId: typeof u === 'string' && /^\d{1,10}$/.test(u) ? Number(u) : null,
    };
    const key = typeof kid === 'string' ? this.keys.get(kid) : undefined;
    if (!key) throw invalid();
    const expected = Buffer.from(this.mac(grant, key));
    const given = Buffer.from(typeof sig === 'string' ? sig : '');
    const genuine = given.length === expected.length && timingSafeEqual(given, expected);
    if (!genuine) throw invalid();
    if (grant.exp <= nowSeconds) throw expired();
    return grant;
  }

  /** GET and HEAD are one method class, `read`; others cannot be signed. */
  private mac({ path, exp, disposition, viewerId }: MediaGrant, key: Buffer): string {
    const signed = ['read', path, exp, disposition, ...(viewerId === null ? [] : [viewerId])].join('\n');
    return createHmac('sha256', key).update(signed).digest('base64url');
  }
}

const invalid = (): DomainError =>
  new ForbiddenError('The signature of this address is not valid.', { code: 'media_signature_invalid' });
const expired = (): DomainError =>
  new ForbiddenError('This address has expired. Sign the path again.', { code: 'media_signature_expired' });
