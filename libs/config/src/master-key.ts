const KEY_BYTES = 32;
/** Of 32 bytes at random about thirty differ; fewer than twenty do so less often than once in a billion keys. */
const MIN_DIFFERENT_BYTES = 20;
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

function isPrintable(bytes: Buffer): boolean {
  return bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a);
}
