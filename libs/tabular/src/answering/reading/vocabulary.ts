import type { AskedColumn, AskedTable } from '../asked-table.js';
import { ArithmeticColumns } from './arithmetic.js';
import { unitOf } from './conditions.js';
import { ElapsedColumns } from './elapsed.js';
import type { LanguageCode } from './lexicon/languages.js';
import { addsUp } from './measures.js';
import { isHead, LooseNames, type LooseName } from './names.js';
import { isOfPersons } from './persons.js';
import { isKey, isNumeric } from './reading.js';
import { isTurnedTable, numberedBy, RowNouns } from './row-nouns.js';
import { fold, formsOf, nameWords, sameWord, textOf, valueWords, type Word } from './words.js';

/** Cells of one column that a stretch of a question names: several where they differ in case or accents alone. */
export interface FoundValue {
  column: AskedColumn;
  values: string[];
}

export interface ValueMatch {
  found: FoundValue[];
  length: number;
  /** Whether it is written as it stands in the data, capitals included. */
  exact: boolean;
  /** «وإربد»: "and" is written with the name. */
  joined: boolean;
  /** A part of the name of a person: one of them has to be chosen where several have it. */
  partly?: true;
}

interface Entry {
  parts: readonly string[];
  column: AskedColumn;
  value: string;
}

interface Name {
  parts: readonly string[];
  column: AskedColumn;
}

/** The names and values of one table, found by the words of a question. */
export class Vocabulary {
  private readonly byWord = new Map<string, Entry[]>();
  private readonly byText = new Map<string, Entry[]>();
  /** By the forms of their first words, like `things`. */
  private readonly names = new Map<string, Name[]>();
  private readonly loose: LooseNames;
  /** What a row of the table is called. */
  readonly nouns: RowNouns;
  /** What can be reckoned of each row from its times, in English. */
  readonly elapsed: ElapsedColumns;
  private readonly elapsedAbroad = new Map<LanguageCode, ElapsedColumns>();
  /** The same from its numbers. */
  readonly arithmetic: ArithmeticColumns;
  /** What columns count in, in lower case. */
  readonly units: ReadonlySet<string>;
  private readonly tableNames: (readonly string[])[];
  private readonly things: Name[];

  constructor(
    readonly table: AskedTable,
    /** ISO date; null where it is not known, so that "last month" says nothing. */
    readonly today: string | null = null,
    /** Whether rows are called like their names, too. */
    byName = false,
  ) {
    for (const column of table.columns)
      for (const value of column.values) {
        const entry = { parts: valueWords(value), column, value };
        add(this.byText, fold(value), entry);
        if (entry.parts.length > 0) for (const form of formsOf(entry.parts[0]!)) add(this.byWord, form, entry);
      }
    for (const column of table.columns) for (const parts of namesOf(column)) addName(this.names, { parts, column });
    this.loose = new LooseNames(table.columns);
    this.nouns = new RowNouns(table, byName);
    this.elapsed = new ElapsedColumns(table, today);
    this.arithmetic = new ArithmeticColumns(table);
    this.units = new Set([
      ...table.columns.flatMap((column) => unitOf(column)?.toLowerCase() ?? []),
      ...this.elapsed.units,
    ]);
    const names = [table.alias, table.name, table.sheet ?? '', table.filename.replace(/\.[^.]+$/, '')];
    this.tableNames = isTurnedTable(table) ? [] : names.map(nameWords);
    // A row of a table with the column `order_id` or `order_no` is an order.
    this.things = table.columns.flatMap((column) => {
      const parts = nameWords(column.name);
      const numbered = column.numbers === true ? numberedBy(column) : null;
      if (numbered !== null) return [{ parts: [numbered], column }];
      return parts.length > 1 && numbersThings(parts.at(-1)!, column) ? [{ parts: parts.slice(0, -1), column }] : [];
    });
  }

  /** The same, called as in a language. */
  elapsedIn(language: LanguageCode): ElapsedColumns {
    if (language === 'en') return this.elapsed;
    const known = this.elapsedAbroad.get(language) ?? new ElapsedColumns(this.table, this.today, language);
    this.elapsedAbroad.set(language, known);
    return known;
  }

  /** The longest value that stands there: letter by letter, else in another number ("pumps"). */
  valueAt(words: readonly Word[], at: number): ValueMatch | null {
    const first = words[at]!;
    if (first.quoted) return this.quotedValue(first);
    const bare = /^[وبلفك]\p{Script=Arabic}{2,}/u.test(first.norm) ? first.norm.slice(1) : null;
    const keys = [...new Set([...formsOf(first.norm), ...(bare === null ? [] : [bare])])];
    const entries = [...new Set(keys.flatMap((key) => this.byWord.get(key) ?? []))];
    const matches = entries.flatMap((entry) => {
      const same = matchLength(
        words,
        at,
        entry.parts,
        (word, part, next) => word === part || (next === 0 && bare === part),
      );
      if (same > 0) return [{ entry, length: same, rank: 2 }];
      const alike = matchLength(words, at, entry.parts, sameWord);
      return alike > 0 ? [{ entry, length: alike, rank: 1 }] : [];
    });
    const longest = Math.max(0, ...matches.map(({ length }) => length));
    const rank = Math.max(0, ...matches.filter(({ length }) => length === longest).map((match) => match.rank));
    const best = matches.filter((match) => match.length === longest && match.rank === rank).map(({ entry }) => entry);
    if (best.length === 0) return null;
    const text = textOf(words.slice(at, at + longest));
    const joined = first.norm.startsWith('و') && best.every(({ parts }) => parts[0] !== first.norm);
    return { found: byColumn(best), length: longest, exact: best.some(({ value }) => value.trim() === text), joined };
  }

  /** "Ann" of the customer "Ann Lee": those whose name has the word, where all names are known. */
  personAt(words: readonly Word[], at: number): ValueMatch | null {
    const { norm, text, quoted } = words[at]!;
    if (quoted || !/^\p{Lu}\p{L}{2,}/u.test(text)) return null;
    // "Gross revenue" is hardly about Pia Gross, nor is the first word a name because of its capital.
    const owns = /'s?$/.test(norm);
    if (!owns && (at === 0 || (words[at + 1] && (this.columnAt(words, at + 1) ?? this.looseAt(words, at + 1)))))
      return null;
    const named = this.table.columns.filter(
      (column) => column.complete === true && isOfPersons(column) && !isKey(column),
    );
    const found = named.flatMap((column) => {
      const values = column.values.filter((value) => valueWords(value).some((part) => sameWord(norm, part)));
      return values.length > 0 ? [{ column, values }] : [];
    });
    return found.length === 0 ? null : { found, length: 1, exact: false, joined: false, partly: true };
  }

  private quotedValue(word: Word): ValueMatch | null {
    const entries = this.byText.get(word.norm) ?? [];
    return entries.length === 0 ? null : { found: byColumn(entries), length: 1, exact: true, joined: false };
  }

  /** The columns of the longest name that stands there. */
  columnAt(words: readonly Word[], at: number): { columns: AskedColumn[]; length: number } | null {
    const from = (names: Map<string, Name[]>) => [
      ...new Set(formsOf(words[at]!.norm).flatMap((form) => names.get(form) ?? [])),
    ];
    const named = longest(words, at, from(this.names));
    const thing = longest(
      words,
      at,
      this.things.filter(({ column }) => column.unique === false),
    );
    const best = thing && thing.length > (named?.length ?? 0) ? thing : named;
    return best ?? null;
  }

  /** Columns that are named there by a part of their names, or in another order. */
  looseAt(words: readonly Word[], at: number): LooseName | null {
    return this.loose.at(words, at);
  }

  /** Of a table called like what it measures: the only column of it, as `total_sales` of `sales`. */
  measureAt(words: readonly Word[], at: number, length: number): AskedColumn | null {
    const own = words.slice(at, at + length);
    const loose = this.loose.at(own, 0);
    if (loose?.length !== length) return null;
    const measures = loose.columns.filter((column) => isNumeric(column) && addsUp(column) && isHead(column, own));
    return measures.length === 1 ? measures[0]! : null;
  }

  /** The column that numbers what is named there: `order_id` of "order". */
  keyAt(words: readonly Word[], at: number): AskedColumn | null {
    return this.things.find(({ parts }) => matchLength(words, at, parts, sameWord) > 0)?.column ?? null;
  }

  /** Of how many words the name of the table, or of what a row of it is, stands there. */
  tableAt(words: readonly Word[], at: number): number {
    const things = this.things.filter(({ column }) => column.unique !== false).map(({ parts }) => parts);
    const repeated = this.things.filter(({ column }) => column.unique === false).map(({ parts }) => parts);
    const lengths = [...this.tableNames, ...things].map((name) => matchLength(words, at, name, sameWord));
    const length = Math.max(0, ...lengths);
    // Rows of a table of order lines are no orders, whatever the file is called.
    return repeated.some((name) => matchLength(words, at, name, sameWord) >= length && length > 0) ? 0 : length;
  }
}

/** "Number" may also say how many they are, unless it is a text. */
function numbersThings(last: string, { type }: AskedColumn): boolean {
  return /^(?:id|no|nr)$/.test(last) || (type === 'text' && /^(?:number|num)$/.test(last));
}

function namesOf(column: AskedColumn): (readonly string[])[] {
  const { name, originalName, headerPath = [] } = column;
  const path = headerPath.flatMap((part) => nameWords(part));
  const back = headerPath.toReversed().flatMap((part) => nameWords(part));
  const names = [name, originalName, withoutUnit(originalName), headerPath.at(-1) ?? ''].map(nameWords);
  return [...names, path, back].filter((parts) => parts.length > 0);
}

/** "Kosten in €", "Gewicht in kg": what stands behind "in" is a unit and no place. */
const UNIT_BEHIND =
  /\s(?:in|en|em)\s(?:(?:tsd|tausend|mio|mrd|t|k)\.?\s?)?(?:€|eur|euros?|\$|usd|£|gbp|chf|franken|%|‰|prozent|percent|kg|g|mg|t|tonnen|m|mm|cm|km|m²|m2|qm|ha|m³|l|liter|kwh|mwh|gwh|kw|mw|°c|h|std\.?|stunden|min\.?|minuten|sek\.?|tagen?|monaten|jahren|stück|mbar|bar|db|ppm|mg\/l)$/iu;

/** `Cost (EUR)` is asked for as the cost. */
function withoutUnit(header: string): string {
  return header
    .replace(/[([][^)\]]*[)\]]/g, ' ')
    .trim()
    .replace(UNIT_BEHIND, '');
}

function longest(words: readonly Word[], at: number, names: readonly Name[]) {
  let length = 0;
  let columns: AskedColumn[] = [];
  for (const { parts, column } of names) {
    const found = matchLength(words, at, parts, sameWord);
    if (found > length) columns = [];
    if (found > 0 && found >= length && !columns.includes(column)) columns.push(column);
    length = Math.max(length, found);
  }
  return length === 0 ? null : { columns, length };
}

/** Of how many words of the question the parts are, if they stand there; commas between them do not count against it. */
function matchLength(
  words: readonly Word[],
  at: number,
  parts: readonly string[],
  same: (word: string, part: string, next: number) => boolean,
): number {
  let next = at;
  for (const [index, part] of parts.entries()) {
    if (index > 0 && words[next]?.norm === ',') next++;
    const word = words[next];
    if (!word || (word.quoted && parts.length > 1) || !same(word.norm, part, index)) return 0;
    next++;
  }
  return next - at;
}

function byColumn(entries: Entry[]): FoundValue[] {
  const found = new Map<AskedColumn, string[]>();
  for (const { column, value } of entries) found.set(column, [...(found.get(column) ?? []), value]);
  return [...found].map(([column, values]) => ({ column, values: [...new Set(values)] }));
}

function addName(names: Map<string, Name[]>, name: Name): void {
  for (const form of formsOf(name.parts[0]!)) add(names, form, name);
}

function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
