import { OutsideFault } from '@app/common';

/**
 * - `auth`: the credentials are wrong, or not enough for the whole source
 * - `not_found`: the item is not there any more, or the source itself is not
 * - `refused`: this item cannot be had; another try would change nothing
 * - `throttled`: later, see `retryAfterSeconds`
 * - `unavailable`: the source cannot be reached, or is out of order
 * - `cursor_expired`: the source has forgotten what it gave the cursor for; list anew
 */
export type SourceFailure = 'auth' | 'not_found' | 'refused' | 'throttled' | 'unavailable' | 'cursor_expired';

/** A source did not do what was asked. Its text is a sentence for the owner: no secret, no address, no banner. */
export class SourceError extends OutsideFault {
  /** What a throttling source asks for; null when it does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(
    readonly failure: SourceFailure,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number | null } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'SourceError';
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }

  get code(): string {
    return this.failure;
  }
}

/** Seconds of a `Retry-After` header, which holds seconds or a date; null when it holds neither. */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header.trim());
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
