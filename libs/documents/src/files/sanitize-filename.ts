const MAX_BYTES = 255;

// Controls, line separators, lone surrogates and the format characters that turn or hide text: a name such as
// "invoice\u202Efdp.exe" would be shown as "invoiceexe.pdf". The joiners U+200C and U+200D stay: Persian and emoji
// need them.
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]|(?![\u200c\u200d])\p{Cf}/gu;

/**
 * A display name that is safe to store, show and send back: one path segment, NFC, no control or
 * direction characters, at most 255 UTF-8 bytes with the extension kept. Never empty ("file" at least).
 */
export function sanitizeFilename(name: string): string {
  const segments = name
    .replace(UNSAFE, '')
    .split(/[/\\]/)
    .map((segment) => segment.normalize('NFC').replace(/\s+/g, ' ').trim());
  const last = (segments.findLast((segment) => segment !== '') ?? '').replace(/^\.+|[. ]+$/g, '').trim();
  if (last === '') return 'file';
  const extension = /\.[^.\s]{1,16}$/.exec(last)?.[0] ?? '';
  const stem = last.slice(0, last.length - extension.length);
  return cutToBytes(stem, MAX_BYTES - Buffer.byteLength(extension)) + extension;
}

/** Cuts between characters as a reader sees them, so that no letter loses its accent. */
function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // One character is at least one byte: the segmenter never sees more than it may have to keep.
  const candidate = text.slice(0, maxBytes);
  let kept = '';
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(candidate)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    kept += segment;
  }
  return kept.trimEnd();
}
