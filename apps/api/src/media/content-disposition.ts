/** RFC 8187: what may stand unescaped in `filename*`. */
const encodeExtended = (text: string) =>
  encodeURIComponent(text).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** A `Content-Disposition` header (RFC 6266): the name in ASCII for old clients, and in UTF-8 where it differs. */
export function contentDisposition(type: 'inline' | 'attachment', filename: string): string {
  // Half of a character, as a cut name may end with, cannot be encoded.
  const name = filename.toWellFormed();
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encodeExtended(name)}`;
  return `${type}; filename="${ascii}"${extended}`;
}
