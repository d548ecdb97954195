import { findDate } from '../text/dates.js';
import { shortened } from '../text/shortened.js';
import { levelOf, wordsOf } from './headings.js';
import type { Unit } from './units.js';

const TITLE = 90;
const NAME = 60;
/** A title stands among the first few lines, a date near them. */
const TITLE_UNITS = 4;
const HEAD = 1200;

/** Names that say nothing: what scanners, cameras and editors write. */
const EMPTY_NAME =
  /^(?:\P{L}*(?:document|dokument|doc|file|datei|scan|scanned|img|image|dsc|photo|untitled|unnamed|new|copy|kopie|note|text|download|page|test)?\P{L}*|[\da-f -]{16,})$/iu;

/** The words of a file name: `PFIZER_2021-10K.pdf` is `PFIZER 2021 10K`; '' where it has none that say anything. */
export function nameWords(filename: string): string {
  const words = filename
    .slice(0, 255)
    .replace(/\.\p{L}[\p{L}\p{N}]{0,4}$/u, '')
    .replace(/[_\-.+~()[\]\s]+/g, ' ')
    .trim();
  return EMPTY_NAME.test(words) ? '' : shortened(words, NAME);
}

/**
 * What a document is called: its own title, with the words of its file name that the title lacks.
 * @param units of the first page with text
 */
export function titleOf(text: string, units: readonly Unit[], filename: string): string {
  const head = units.slice(0, TITLE_UNITS).filter(({ isHeading }) => isHeading);
  const titles = head.map(({ start, end }) => text.slice(start, end)).filter((line) => levelOf(line) !== null);
  const own = shortened(wordsOf(titles.find((line) => line.startsWith('# ')) ?? titles[0] ?? ''), TITLE);
  const name = nameWords(filename);
  const known = own.toLowerCase();
  const isNew = name
    .toLowerCase()
    .split(' ')
    .some((word) => !known.includes(word));
  return [own, isNew ? name : ''].filter(Boolean).join(' · ');
}

/** The date that a document bears, near its beginning or in its name; '' where none is. */
export function dateOf(text: string, filename: string): string {
  return findDate(text.slice(0, HEAD)) ?? findDate(filename.slice(0, 255).replaceAll('_', ' ')) ?? '';
}
