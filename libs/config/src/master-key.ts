import { isUtf8 } from 'node:buffer';

const KEY_BYTES = 32;
/** Of 32 bytes at random about thirty differ; fewer than twenty do so less often than once in a billion keys. */
const MIN_DIFFERENT_BYTES = 20;
const HEXADECIMAL = /^(?:0x)?[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=?$|^[A-Za-z0-9_-]{43}=?$/;

/** Whether the text is 32 bytes in base64 (or base64url) and nothing else, in the one way to write them. */
export function isMasterKey(text: string): boolean {
  if (!BASE64.test(text)) return false;
  const plain = text.replace(/=$/, '').replaceAll('-', '+').replaceAll('_', '/');
  return Buffer.from(plain, 'base64').toString('base64') === `${plain}=`;
}

/**
 * Whether a key looks made up rather than drawn: zeros, a byte or a pattern again and again, bytes in equal steps, or a
 * text. What a person types as a key can be guessed, whatever its length.
 */
export function isGuessableKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  const steps = new Set([...bytes.subarray(1)].map((byte, index) => (byte - bytes[index]! + 256) % 256));
  return new Set(bytes).size < MIN_DIFFERENT_BYTES || steps.size < KEY_BYTES / 4 || isPrintable(bytes);
}

/** So many of the bytes of a text in a code page of the West are plain letters; of those that were drawn hardly ever. */
const MIN_PLAIN_BYTES = 24;

const isPlain = (byte: number): boolean =>
  (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** ASCII, UTF-8 of any script, or a code page of the West. Other code pages and UTF-16 have too few different bytes. */
function isPrintable(bytes: Buffer): boolean {
  if (isUtf8(bytes) && !/[^\P{C}\t\n\r\p{Cf}]/u.test(bytes.toString('utf8'))) return true;
  const plain = bytes.filter(isPlain).length;
  return plain >= MIN_PLAIN_BYTES && bytes.every((byte) => isPlain(byte) || byte >= 0xa0);
}

/**
 * What is wrong with a text that is no master key (`isMasterKey`), in words that never hold any of it: a sentence that
 * follows the name of the setting, and how it is mended.
 */
export function whyNoMasterKey(text: string): string {
  if (text === '') return 'is empty.';
  const bare = text.replaceAll(/^\s*(["'`“”‘’])?\s*|\s*(["'`“”‘’])?\s*$/g, '');
  const hint = isMasterKey(bare) || HEXADECIMAL.test(bare) ? ' What is inside looks like a key.' : '';
  if (/["'`“”‘’]/.test(text))
    return `has quotes around it or inside, which are part of the value here (docker --env-file keeps them): take them away.${hint}`;
  if (/\s/.test(text)) return `has blanks or line ends around it or inside: take them away.${hint}`;
  if (HEXADECIMAL.test(text))
    return 'is hexadecimal; give it base64: printf %s "$KEY" | xxd -r -p | base64, where KEY holds what stands there now.';
  if (!/^[A-Za-z0-9+/_-]+=*$/.test(text)) return 'has characters that base64 does not have.';
  const bytes = Buffer.from(text, 'base64').length;
  return bytes === KEY_BYTES
    ? 'is base64 that was cut or mended by hand: its letters and its padding are not as an encoder writes them.'
    : `is base64 of ${bytes} bytes, and ${KEY_BYTES} are needed.`;
}
