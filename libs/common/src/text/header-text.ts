import { isUtf8 } from 'node:buffer';

const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * What the value of an HTTP header says: Node hands it over with one character for each byte.
 * @returns null for bytes that are no UTF-8
 */
export function headerText(value: string): string | null {
  if (!BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}
