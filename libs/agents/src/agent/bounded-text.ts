export { cutMiddle } from '@app/common';

/** At most `limit` characters in one line. */
export function cutLine(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** A value as a model reads it: text as it is, everything else as JSON. */
export function toReadableText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}
