import type { ParseRequest } from '../child-messages.js';

/** Why a file has no text, in a sentence for its owner. @param unreadablePages whose letters OCR would have told */
export function emptyMessage({ kind, ocr }: Pick<ParseRequest, 'kind' | 'ocr'>, unreadablePages: number): string {
  if (kind !== 'pdf') return 'The file holds no text.';
  if (ocr) return 'No text could be recognised in this PDF.';
  const what =
    unreadablePages > 0
      ? 'The text layer of this PDF cannot be read: its fonts do not say which letters they show.'
      : 'This PDF holds no text: it seems to be scanned, and OCR was off.';
  return `${what} Upload it again with OCR on.`;
}
