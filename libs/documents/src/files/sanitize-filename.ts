import { isVisible, withoutHiddenCharacters } from '@app/common';

const MAX_BYTES = 255;

/**
 * A display name that is safe to store, show and send back: one path segment, NFC, no control or
 * direction characters, at most 255 UTF-8 bytes with the extension kept. Never empty ("file" at least).
 */
export function sanitizeFilename(name: string): string {
  const segments = withoutHiddenCharacters(name)
    .split(/[/\\]/)
    .map((segment) => segment.normalize('NFC').replace(/\s+/g, ' ').trim());
  const last = (segments.findLast((segment) => segment !== '') ?? '').replace(/^\.+|[. ]+$/g, '').trim();
  if (!isVisible(last)) return 'file';
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
