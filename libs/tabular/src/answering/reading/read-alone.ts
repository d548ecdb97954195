import { cutText } from '@app/common';
import type { AskedTable } from '../asked-table.js';
import { chooseReading, chooseTable, chooseWay, type Candidate, type TableReading } from './choose-reading.js';
import { framesOf, type Frame } from './contrast-frames.js';
import { contrastOf } from './contrasts.js';
import { requireOneDate } from './done-when.js';
import type { Mark } from './mark-words.js';
import { TableWords, wordsIn } from './inflections.js';
import type { LanguageCode } from './lexicon/languages.js';
import { combine, type Parts } from './parts.js';
import { readParts } from './read-parts.js';
import { Unclear, type Reading } from './reading.js';
import { languageOfNumbered } from './row-nouns.js';
import { readingSql } from './reading-sql.js';
import { tilingsOf } from './tilings.js';
import { languagesOf } from './which-language.js';
import { Vocabulary } from './vocabulary.js';
import { textOf, wordsOf, type Word } from './words.js';

/** Simple questions are short; each word of one is compared with every name and value of the tables. */
const LONGEST = 1000;
const MOST_WORDS = 60;
/** Of a question, in one back. */
const SHOWN = 120;
/** Ways to read a conversation as a whole. */
const MOST_WAYS = 200;

export interface QuestionRead {
  reading: Reading | null;
  /** Words of the question that mean nothing in view of any table. */
  unknown: string[];
  /** In which it was read. */
  language: LanguageCode;
}

/** What is too long for it. */
export const NOT_READ: QuestionRead = { reading: null, unknown: [], language: 'en' };

/** Reads questions to some tables, each with those before it, as they stand. */
export class QuestionReader {
  private readonly reader: LanguageReader;
  private readonly names: string;
  private readonly known = new Map<string, Word[] | null>();

  constructor(tables: readonly AskedTable[], today: string | null) {
    this.reader = new LanguageReader(tables, today);
    this.names = namesOf(tables);
  }

  /** @param past earlier questions, oldest first */
  read(question: string, past: readonly string[]): QuestionRead {
    const words = this.wordsOf(question);
    if (words === null) return NOT_READ;
    const turns = past.map((text) => this.wordsOf(text));
    const own = languagesOf(words, this.names);
    // "2023?" is of the language of what was asked before.
    const before = turns.findLast((turn) => turn !== null && languagesOf(turn).length > 0);
    const named = own.length === 0 && !before ? languageOfNumbered(words) : null;
    const [first = 'en', ...others] = own.length > 0 ? own : named ? [named] : before ? languagesOf(before) : [];
    const read = this.reader.read(words, turns, first);
    return others.reduce((best, language) => agreed(question, best, this.reader.read(words, turns, language)), read);
  }

  /** Null of a text that is too long. The same ones for the same text, by which it is known how they were taken apart. */
  private wordsOf(text: string): Word[] | null {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const words = isShort(text) ? wordsOf(text) : null;
    this.known.set(text, words);
    return words;
  }
}

function namesOf(tables: readonly AskedTable[]): string {
  const names = tables.flatMap(({ name, columns }) => [name, ...columns.map(({ originalName }) => originalName)]);
  return names.join(' ').slice(0, LONGEST);
}

/** Of two languages that a question may be in, that in which it makes sense; both where it makes different sense. */
function agreed(question: string, one: QuestionRead, other: QuestionRead): QuestionRead {
  const [first, second] = [one.reading, other.reading];
  if (second === null) return one;
  if (first === null) return other;
  if (first.kind !== 'query' || second.kind !== 'query')
    return first.kind === 'query' || second.kind !== 'query' ? one : other;
  if (readingSql(first) === readingSql(second)) return one;
  const readings = [first, second];
  return {
    ...one,
    reading: { kind: 'unclear', what: 'readings', about: cutText(question, SHOWN), choices: [], readings },
  };
}

/** Reads a question, and those before it, in one language or another. */
class LanguageReader {
  private readonly readers: TableReader[];
  private readonly names: TableWords;
  private readonly adapted = new Map<readonly Word[], Map<LanguageCode, Word[]>>();

  constructor(tables: readonly AskedTable[], today: string | null) {
    this.readers = tables.map((table) => new TableReader(table, today));
    this.names = new TableWords(tables);
  }

  /** @param past earlier questions, null for those that are too long */
  read(asked: readonly Word[], past: readonly (readonly Word[] | null)[], language: LanguageCode): QuestionRead {
    const words = this.wordsIn(language, asked);
    const alone = chooseReading(
      this.readers.map((reader) => reader.alone(words)),
      words,
    );
    const frames = alone === null ? framesOf(words, language) : [];
    const contrast = this.contrast(frames, words);
    const unknown = this.unknown(words, frames);
    if (contrast) return { reading: contrast, unknown, language };
    const goesOn = this.readers.some((reader) => reader.goesOn(words));
    const follows = past.length > 0;
    const continues = goesOn && (follows || this.readers.some((reader) => reader.refersBack(words)));
    if (alone?.kind === 'query' && !continues) return { reading: alone, unknown, language };
    // "Total by city", then "in Amman", then "and in Irbid": as far back as it takes.
    for (let turns = 1; turns <= past.length; turns++) {
      const before = past.slice(-turns);
      const [first] = before;
      if (!first) break;
      // What was itself said of an earlier question says nothing without it.
      if (turns < past.length && !this.begins(this.earlier(first, language))) continue;
      const all = [...before.map((turn) => this.earlier(turn ?? [], language)), words];
      const followed = chooseReading(
        this.readers.map((reader) => reader.following(all)),
        words,
      );
      if (followed) return { reading: followed, unknown, language };
    }
    // "And for US?", "and their total?" with nothing before it is no question: what was refused is not kept.
    const reading = continues && alone?.kind === 'query' ? null : alone;
    return { reading, unknown, language };
  }

  /** Words that mean nothing: of a question about two figures, in the one of its ways of which the most is understood. */
  private unknown(words: readonly Word[], frames: readonly Frame[]): string[] {
    const ways = frames.map(({ first, second }) => [
      ...new Set([first, second].flatMap((side) => unknownToAll(this.readers.map((reader) => reader.unknownIn(side))))),
    ]);
    const [best] = ways.toSorted((one, other) => one.length - other.length);
    return best ?? unknownToAll(this.readers.map((reader) => reader.unknownIn(words)));
  }

  /** Two figures side by side: where the ways to part the question lead to different ones, it is asked which is meant. */
  private contrast(frames: readonly Frame[], words: readonly Word[]): Reading | null {
    const read = (frame: Frame) => chooseTable(this.readers.flatMap((reader) => reader.contrast(frame) ?? []));
    const readings = frames.flatMap((frame) => read(frame) ?? (frame.otherwise ? (read(frame.otherwise) ?? []) : []));
    const queries = new Map(
      readings.flatMap((reading) => (reading.kind === 'query' ? [[readingSql(reading), reading] as const] : [])),
    );
    const [only, ...others] = queries.values();
    if (!only) return readings[0] ?? null;
    if (others.length === 0) return only;
    const about = textOf(words).slice(0, SHOWN);
    return { kind: 'unclear', what: 'readings', about, choices: [], readings: [only, ...others] };
  }

  /** Whether it is a question by itself, answered or asked back. */
  private begins(words: readonly Word[]): boolean {
    return this.readers.some((reader) => !reader.goesOn(words) && reader.alone(words).length > 0);
  }

  private earlier(turn: readonly Word[], language: LanguageCode): Word[] {
    const own = languagesOf(turn);
    return this.wordsIn(own.length === 0 || own.includes(language) ? language : own[0]!, turn);
  }

  private wordsIn(language: LanguageCode, words: readonly Word[]): Word[] {
    const known = this.adapted.get(words) ?? new Map<LanguageCode, Word[]>();
    this.adapted.set(words, known);
    const adapted = known.get(language) ?? wordsIn(language, words, this.names);
    known.set(language, adapted);
    return adapted;
  }
}

export function isShort(question: string): boolean {
  return question.length <= LONGEST && wordsOf(question).length <= MOST_WORDS;
}

function unknownToAll([first = [], ...others]: string[][]): string[] {
  return first.filter((word) => others.every((other) => other.includes(word)));
}

/** "And in Oslo", "only open ones", "by number of orders", "without Ann". */
const GOING_ON = new Set<Mark['kind']>(['further', 'and', 'by', 'not']);

function isOfThem(mark: Mark): boolean {
  return mark.kind === 'aside' && mark.refers === true;
}

/** "What is their total": of what was asked about before; "customers and their total" are its own. */
function asksForTheirs(marks: readonly Mark[]): boolean {
  const first = marks.find(({ kind }) => kind !== 'opener' && kind !== 'list');
  return first?.kind === 'article' && /^(?:their|its)$/.test(first.words[0]!.plain);
}

interface Way {
  marks: Mark[];
  parts: Parts | null;
  unclear: Unclear | null;
}

/** Reads questions in view of one table. */
class TableReader {
  private readonly vocabulary: Vocabulary;
  private readonly known = new Map<readonly Word[], ReturnType<typeof tilingsOf>>();

  private byName: TableReader | null = null;

  constructor(
    private readonly table: AskedTable,
    private readonly today: string | null,
    private readonly isByName = false,
  ) {
    this.vocabulary = new Vocabulary(table, today, isByName);
  }

  unknownIn(words: readonly Word[]): string[] {
    return this.tilings(words).unknown;
  }

  goesOn(words: readonly Word[]): boolean {
    return this.tilings(words).tilings.some((marks) => {
      const [first] = marks;
      const leads = first !== undefined && GOING_ON.has(first.kind);
      return leads || marks.at(-1)?.kind === 'instead' || marks.some(isOfThem) || asksForTheirs(marks);
    });
  }

  /** "And their total", "what is their total", "what about the total", not "only open orders": there has to be something before it. */
  refersBack(words: readonly Word[]): boolean {
    return this.tilings(words).tilings.some((marks) => {
      const [first] = marks;
      const leads = first?.kind === 'and' || (first?.kind === 'further' && first.words.length > 1);
      return leads || marks.some(isOfThem) || asksForTheirs(marks);
    });
  }

  alone(words: readonly Word[], isOfFigure = false): Candidate[] {
    const own = this.itself(words, isOfFigure);
    if (own.length > 0 || this.isByName) return own;
    // "Which supplier has the most products" of a file with a `Product` in each row
    this.byName ??= new TableReader(this.table, this.today, true);
    return this.byName.alone(words, isOfFigure);
  }

  private itself(words: readonly Word[], isOfFigure: boolean): Candidate[] {
    return this.ways(words).flatMap(({ marks, parts, unclear }) => {
      if (parts) parts.isOfFigure = isOfFigure;
      return this.candidate(marks, parts, unclear, words);
    });
  }

  /** Both figures in view of this table. */
  contrast(frame: Frame): TableReading | null {
    const sides = [frame.first, frame.second].map((words) => {
      const candidates = this.alone(words, true);
      return { reading: chooseWay(candidates, words), named: candidates.some(({ named, query }) => named && query) };
    });
    const [one, other] = sides.map(({ reading }) => reading);
    if (!one || !other) return null;
    const named = sides.every((side) => side.named);
    const { table } = this;
    for (const side of [one, other]) if (side.kind === 'unclear') return { reading: side, named, table };
    if (one.kind !== 'query' || other.kind !== 'query') return null;
    try {
      const reading = contrastOf(one, other, frame);
      return reading && { reading, named, table };
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      const { about, choices, what } = error;
      return { reading: { kind: 'unclear', what, about, choices }, named, table };
    }
  }

  /** "And in Irbid?" keeps what was asked and replaces what is said anew; the answer to "which column?" adds to it. */
  following(questions: readonly (readonly Word[])[]): Candidate[] {
    const last = questions.at(-1)!;
    let parts: Parts[] = [];
    for (const [at, words] of questions.slice(0, -1).entries()) {
      const own = this.ways(words).flatMap((way) => way.parts ?? []);
      parts = at === 0 ? own : parts.flatMap((earlier) => own.flatMap((now) => combine(earlier, now) ?? []));
      if (parts.length > MOST_WAYS) return [];
    }
    const now = this.ways(last);
    if (parts.length * now.length > MOST_WAYS) return [];
    return now.flatMap(({ marks, parts: own, unclear }) =>
      own
        ? parts.flatMap((earlier) => this.candidate(marks, combine(earlier, own), null, last))
        : this.candidate(marks, null, unclear, last),
    );
  }

  private ways(words: readonly Word[]): Way[] {
    return this.tilings(words).tilings.flatMap((marks): Way[] => {
      try {
        const parts = readParts(marks, this.table);
        return parts ? [{ marks, parts, unclear: null }] : [];
      } catch (error) {
        if (!(error instanceof Unclear)) throw error;
        return [{ marks, parts: null, unclear: error }];
      }
    });
  }

  private candidate(marks: Mark[], parts: Parts | null, unclear: Unclear | null, words: readonly Word[]): Candidate[] {
    const { candidates } = this.tilings(words);
    const named = marks.some(({ kind }) => kind === 'table') || (parts?.namesTable ?? false);
    const base = { table: this.table, marks, candidates, named };
    if (unclear) return [{ ...base, query: null, unclear }];
    try {
      const query = parts?.toQuery() ?? null;
      if (query) requireOneDate(query, marks);
      return query ? [{ ...base, query, unclear: null }] : [];
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      return [{ ...base, query: null, unclear: error }];
    }
  }

  private tilings(words: readonly Word[]): ReturnType<typeof tilingsOf> {
    const found = this.known.get(words) ?? tilingsOf(words, this.vocabulary);
    this.known.set(words, found);
    return found;
  }
}
