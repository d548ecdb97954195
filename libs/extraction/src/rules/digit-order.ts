import { plainSigns } from '../coercion/plain-signs.js';
import type { AskedField } from './asked-field.js';

/**
 * Behind Arabic letters the parts of "12-34" are displayed from right to left, unless whoever wrote it said otherwise: the page
 * does not tell which one comes first. Of a date the year tells.
 */
export function isTurned({ kind }: AskedField, words: string): boolean {
  const parts = plainSigns(words).split(' ');
  if (kind === 'date') return false;
  if (kind === 'phone' && parts.length > 1 && !parts.some((part) => part.startsWith('+'))) return true;
  return (
    /(?:^|[^\p{L}\d-])\d+(?: ?[-—] ?\d+|\+\d+)+(?![\p{L}\d])/u.test(plainSigns(words)) ||
    (kind === 'identifier' && parts.some((part) => /^-\d+$/.test(part)))
  );
}

/** Digits that Arabic is written with are put from right to left around dashes, whatever stands before them. */
export const isEastern = (words: string) => /[\u0660-\u0669\u06f0-\u06f9]/u.test(words);

/** Parts of a number that were put in order from the right: its plus tells. */
export const inOrder = (words: string) =>
  /^[\d ()./-]+ \+\d+$/.test(words) ? words.split(' ').toReversed().join(' ') : words;
