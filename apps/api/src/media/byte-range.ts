export interface WantedRange {
  /** First and last byte, both included. */
  start: number;
  end: number;
}

/**
 * The one range of a `Range` header (RFC 9110, section 14). Several ranges, other units and broken headers count as
 * none, as the standard allows.
 * @returns null to send the whole file, `unsatisfiable` for a 416
 */
export function parseRange(header: string | undefined, sizeBytes: number): WantedRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
