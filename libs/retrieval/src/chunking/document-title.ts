import { findDate } from '../text/dates.js';
import { shortened } from '../text/shortened.js';
import { levelOf, wordsOf } from './headings.js';
import { BREAK, type Unit } from './units.js';

const TITLE = 120;
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

/** Stands above the title, or where there is none. */
const NO_TITLE =
  /^(?:confidential|draft|internal|copy|page|vertraulich|entwurf|seite|intern|confidentiel|brouillon|confidencial|borrador|سري|مسودة)(?:\P{L}|$)/iu;
/** Of a line that is called a title for want of a heading. */
const LONGEST_LINE = 160;

function namesSomething(line: string): boolean {
  return /\p{L}.*\p{L}.*\p{L}/u.test(line) && !NO_TITLE.test(line) && !/[:,;،؛]$|\n/.test(line);
}

/** The first of the headings at the beginning, or the line that stands alone there. */
function ownTitle(text: string, units: readonly Unit[]): string {
  const headings = units
    .slice(0, TITLE_UNITS)
    .filter(({ isHeading }) => isHeading)
    .map(({ start, end }) => text.slice(start, end))
    .filter((line) => levelOf(line) !== null && namesSomething(line));
  const heading = headings.find((line) => line.startsWith('# ')) ?? headings[0];
  if (heading !== undefined) return wordsOf(heading);
  const [first, second] = units;
  const standsAlone = second !== undefined && second.breakBefore >= BREAK.BLOCK;
  if (!first || !standsAlone || first.isRow || first.end - first.start > LONGEST_LINE) return '';
  const line = wordsOf(text.slice(first.start, first.end));
  return namesSomething(line) && !/: /.test(line) ? line : '';
}

/**
 * What a document is called: its own title, with the words of its file name that the title lacks.
 * @param units of the first page with text
 */
export function titleOf(text: string, units: readonly Unit[], filename: string): string {
  const own = shortened(ownTitle(text, units), TITLE);
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
