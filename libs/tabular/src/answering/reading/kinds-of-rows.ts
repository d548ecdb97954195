import type { AskedTable } from '../asked-table.js';
import { formsOf, nameWords } from './words.js';

/** What people call the rows of a file whose columns say it, though neither the file nor a column does. */
interface KindOfRow {
  nouns: ReadonlySet<string>;
  /** What they are called as well, where no column tells of which sort each is: a condominium is no house. */
  loosely?: ReadonlySet<string>;
  /** Words of the names of columns, one of which says it alone. */
  sure: RegExp;
  /** Of these, two different ones say it. */
  likely?: RegExp;
}

const SORT = /^(?:type|types|kind|style|category|class|body|segment)$/;
const set = (words: string) => new Set(words.split(' '));
const KINDS: readonly KindOfRow[] = [
  {
    nouns: set('home homes property properties dwelling dwellings'),
    loosely: set('house houses'),
    sure: /^(?:bedrooms?|bathrooms?|beds|baths|sqft)$/,
  },
  {
    nouns: set('vehicle vehicles automobile automobiles'),
    loosely: set('car cars auto autos'),
    sure: /^(?:mileage|odometer|vin|mpg)$/,
    likely: /^(?:make|model|fuel|transmission|engine)$/,
  },
  { nouns: set('book books'), sure: /^isbn\d*$/, likely: /^(?:author|authors|title|publisher|pages)$/ },
  {
    nouns: set('movie movies film films'),
    sure: /^(?:imdb|director|directors)$/,
    likely: /^(?:runtime|genre|genres|cast|studio)$/,
  },
  {
    nouns: set('song songs track tracks'),
    sure: /^(?:bpm|danceability)$/,
    likely: /^(?:artist|artists|album|duration)$/,
  },
];

/** English words for a row that its columns give away: "houses" where each has bedrooms. None where a column or a value is called so. */
export function nounsOfRows({ columns }: AskedTable): ReadonlySet<string> {
  const names = columns.map(({ originalName, name }) => nameWords(originalName.trim() || name));
  const kinds = KINDS.filter(({ sure, likely }) => {
    if (names.some((words) => words.some((word) => sure.test(word)))) return true;
    return likely !== undefined && names.filter((words) => words.some((word) => likely.test(word))).length > 1;
  });
  if (kinds.length !== 1) return new Set();
  const taken = new Set([
    ...names.flat(),
    ...columns.flatMap(({ values }) => values.flatMap((value) => nameWords(value))),
  ]);
  const isFree = (noun: string) => ![...formsOf(noun), `${noun}s`].some((form) => taken.has(form));
  const { nouns, loosely = [] } = kinds[0]!;
  const tellsSorts = names.flat().some((word) => SORT.test(word));
  return new Set([...nouns, ...(tellsSorts ? [] : loosely)].filter(isFree));
}
