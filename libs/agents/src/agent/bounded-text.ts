export { cutLine, cutMiddle } from '@app/common';

/** A value as a model reads it: text as it is, everything else as JSON. */
export function toReadableText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}
