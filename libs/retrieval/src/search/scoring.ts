import type { DataSource } from 'typeorm';
import { chooseCandidates, MANY_TERMS, sampleRate, type CandidateChoice, type SampleGroup } from './candidates.js';
import { OVERLOOK, sampleStatement, scoreStatement, type Way } from './keyword-statements.js';
import type { ScopeTotals } from './scope-totals.js';
import { anyQuery, compoundQuery, exactQuery, shapeOf, type SoughtWord } from './term-queries.js';

export interface KeywordWays {
  /** Up to so many chunks all of a scope are read. */
  scanChunks: number;
  /** The same of a part of a scope. */
  scanNarrowedChunks: number;
  /** From here on documents are looked at for the best chunks only. */
  bestFromChunks: number;
}

export const WAYS: KeywordWays = {
  /** Up to here it is cheaper to read every chunk of the scope than to go through the index. */
  scanChunks: 2000,
  /** The index knows nothing of folders and classes: going through a large corpus for a part of it costs more. */
  scanNarrowedChunks: 20_000,
  /** From here on it takes longer to list the documents that may be read than to look at those of the best chunks. */
  bestFromChunks: 30_000,
};

/** From here on candidates are chosen by a sample; earlier for many words, each of which costs time in every chunk. */
const SAMPLE_FROM_CHUNKS = { few: 8000, many: 2500 };

export interface Question {
  parameters: unknown[];
  words: readonly SoughtWord[];
  limit: number;
  narrowed: boolean;
}

export interface Scored {
  /** Null in the only row of a search that found nothing. */
  id: string | null;
  /** BM25. */
  score: number;
  /** What a chunk would get that holds every term without end. */
  best: number;
  /** Chunks with each word. */
  found: number[];
  looked: number;
  /** Null beyond the first 50, which are looked at more closely. */
  text: string | null;
  context: string | null;
}

/** Scores the chunks of a scope by BM25; of large ones, those that a sample says can be among the best. */
export class Scoring {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ways: KeywordWays,
  ) {}

  /** Which chunks are worth scoring; null where all that match are few enough. */
  async candidates({ parameters, words, narrowed }: Question, totals: ScopeTotals): Promise<CandidateChoice | null> {
    const { owners, chunks } = totals;
    const way = this.chooseWay(totals, narrowed);
    const many = words.length > MANY_TERMS;
    if (chunks < (many ? SAMPLE_FROM_CHUNKS.many : SAMPLE_FROM_CHUNKS.few) || (way === 'scan' && !many)) return null;
    const each = words.map((word) => owners.map((owner) => anyQuery(word, owner)));
    const anyOf = owners.map((_, at) => each.map((queries) => queries[at]!).join(' | '));
    const statement = sampleStatement(words.length, sampleRate(chunks, words.length), way === 'set' ? 'each' : way);
    const sample = await this.dataSource.query<SampleGroup[]>(statement, [...parameters, owners, anyOf, ...each]);
    return chooseCandidates(words, chunks, sample);
  }

  /** @returns one row at least, best first */
  async find(question: Question, totals: ScopeTotals, choice: CandidateChoice | null): Promise<Scored[]> {
    const way = this.chooseWay(totals, question.narrowed);
    const rows = await this.score(question, totals, choice, way);
    const all = question.limit * OVERLOOK;
    const isShort = way === 'best' && rows.length < question.limit && (rows[0]?.looked ?? all) === all;
    return isShort ? this.score(question, totals, choice, 'each') : rows;
  }

  private async score(
    { parameters, words, limit }: Question,
    { owners, chunks, meanLength }: ScopeTotals,
    choice: CandidateChoice | null,
    way: Way,
  ): Promise<Scored[]> {
    const wanted = owners.map((owner) =>
      choice
        ? choice.condition((at) => anyQuery(words[at]!, owner))
        : words.map((word) => anyQuery(word, owner)).join(' | '),
    );
    const counts = words.map((_, at) => (choice && !choice.alone.has(at) ? choice.found[at]! : null));
    const exact = words.map((word) => owners.map((owner) => exactQuery(word, owner)));
    const compounds = words
      .filter(({ prefixes }) => prefixes.length > 0)
      .map((word) => owners.map((owner) => compoundQuery(word, owner)));
    const scope = [...parameters, owners, wanted, chunks, meanLength, limit, counts, ...exact, ...compounds];
    return this.dataSource.query<Scored[]>(scoreStatement(words.map(shapeOf), way), scope);
  }

  private chooseWay({ chunks }: ScopeTotals, narrowed: boolean): Way {
    if (chunks <= (narrowed ? this.ways.scanNarrowedChunks : this.ways.scanChunks)) return 'scan';
    if (chunks < this.ways.bestFromChunks) return 'set';
    return narrowed ? 'each' : 'best';
  }
}
