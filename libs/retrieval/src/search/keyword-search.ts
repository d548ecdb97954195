import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { questionWords } from '../analysis/question-words.js';
import { inverseFrequency } from './bm25.js';
import { chooseCandidates, MANY_TERMS, sampleRate, type CandidateChoice, type SampleGroup } from './candidates.js';
import { OVERLOOK, sampleStatement, scoreStatement, type Way } from './keyword-statements.js';
import { LikeWords } from './like-words.js';
import { RarestWords } from './rarest-words.js';
import { isNarrowed, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import { ScopeCounter, type ScopeTotals } from './scope-totals.js';
import { anyQuery, compoundQuery, exactQuery, shapeOf, type SoughtWord } from './term-queries.js';

const WAYS = {
  /** Up to here it is cheaper to read every chunk of the scope than to go through the index. */
  scanChunks: 2000,
  /** The index knows nothing of folders and classes: going through a large corpus for a part of it costs more. */
  scanNarrowedChunks: 20_000,
  /** From here on it takes longer to list the documents that may be read than to look at those of the best chunks. */
  bestFromChunks: 30_000,
};
/** From here on candidates are chosen by a sample; earlier for many words, each of which costs time in every chunk. */
const SAMPLE_FROM_CHUNKS = { few: 8000, many: 2500 };

export interface KeywordHit {
  chunkId: string;
  /** BM25. */
  score: number;
  /** `score` over what a chunk would get that holds every term of the question without end: 0 to 1. */
  share: number;
}

/** What the scope says of a word of the question. */
export interface ScopeTerm {
  /** As it was asked, folded. */
  word: string;
  /** Index terms that count as this word: stems in the languages of the scope, and other spellings. */
  terms: readonly string[];
  /** Chunks of the scope that have it; an estimate in large scopes, 0 when nothing has it. */
  found: number;
  /** BM25's inverse document frequency in the scope. */
  idf: number;
  /** 0 to 1: below 1 for what only says what to do. */
  weight: number;
  /** Whether nothing has it and words like it are looked for instead. */
  replaced: boolean;
}

export interface KeywordResult {
  /** Best first. */
  hits: KeywordHit[];
  /** The words that were looked for, in the order of the question; at most 64. */
  terms: ScopeTerm[];
}

/** Full text search with BM25, whose statistics are those of the scope at that moment: nobody else's words weigh in. */
@Injectable()
export class KeywordSearch {
  private readonly counter: ScopeCounter;
  private readonly like: LikeWords;
  private readonly rarest: RarestWords;

  constructor(
    private readonly dataSource: DataSource,
    @Optional() private readonly ways: typeof WAYS = WAYS,
  ) {
    this.counter = new ScopeCounter(dataSource);
    this.like = new LikeWords(dataSource);
    this.rarest = new RarestWords(dataSource);
  }

  /**
   * The best chunks. Where nothing has a word of the question, what is written much like it stands in its place.
   * @param known totals of the scope, by a caller who has them
   */
  async search(
    viewer: Viewer,
    scope: SearchScope,
    query: string,
    limit: number,
    known?: ScopeTotals,
  ): Promise<KeywordResult> {
    const totals = known ?? (await this.counter.count(viewer, scope));
    const all = questionWords(query, totals.languages);
    if (all.length === 0 || totals.chunks === 0) return { hits: [], terms: all.map((word) => toTerm(word, 0, 0)) };
    const parameters = scopeParameters(viewer, scope);
    const narrowed = isNarrowed(scope);
    const words = await this.rarest.choose(all, { parameters, narrowed }, totals);
    const question = { parameters, words, limit, narrowed };
    const first = await this.find(question, totals);
    const found = words.map((_, at) => first[0]?.found[at] ?? 0);
    const instead = await this.like.replace(words, found, totals);
    const rows = instead ? await this.find({ ...question, words: instead }, totals) : first;
    return {
      hits: rows.flatMap(({ id, score, best }) =>
        id === null ? [] : [{ chunkId: id, score, share: best > 0 ? score / best : 0 }],
      ),
      terms: words.map((word, at) => toTerm(word, found[at]!, totals.chunks, instead?.[at])),
    };
  }

  private async find(question: Question, totals: ScopeTotals): Promise<Scored[]> {
    const { limit } = question;
    const way = this.chooseWay(totals, question.narrowed);
    const rows = await this.score(question, totals, way);
    const all = limit * OVERLOOK;
    const isShort = way === 'best' && rows.length < limit && (rows[0]?.looked ?? all) === all;
    return isShort ? this.score(question, totals, 'each') : rows;
  }

  private async score(question: Question, totals: ScopeTotals, way: Way): Promise<Scored[]> {
    const { parameters, words, limit } = question;
    const { owners, chunks, meanLength } = totals;
    const choice = await this.candidates(question, totals, way);
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

  /** Null where all that match are few enough to be scored. */
  private async candidates(
    { parameters, words }: Question,
    { owners, chunks }: ScopeTotals,
    way: Way,
  ): Promise<CandidateChoice | null> {
    const many = words.length > MANY_TERMS;
    if (chunks < (many ? SAMPLE_FROM_CHUNKS.many : SAMPLE_FROM_CHUNKS.few) || (way === 'scan' && !many)) return null;
    const each = words.map((word) => owners.map((owner) => anyQuery(word, owner)));
    const anyOf = owners.map((_, at) => each.map((queries) => queries[at]!).join(' | '));
    const statement = sampleStatement(words.length, sampleRate(chunks, words.length), way === 'set' ? 'each' : way);
    const sample = await this.dataSource.query<SampleGroup[]>(statement, [...parameters, owners, anyOf, ...each]);
    return chooseCandidates(words, chunks, sample);
  }

  private chooseWay({ chunks }: ScopeTotals, narrowed: boolean): Way {
    if (chunks <= (narrowed ? this.ways.scanNarrowedChunks : this.ways.scanChunks)) return 'scan';
    if (chunks < this.ways.bestFromChunks) return 'set';
    return narrowed ? 'each' : 'best';
  }
}

interface Question {
  parameters: unknown[];
  words: readonly SoughtWord[];
  limit: number;
  narrowed: boolean;
}

interface Scored {
  /** Null in the only row of a search that found nothing. */
  id: string | null;
  score: number;
  best: number;
  /** Chunks with each word. */
  found: number[];
  looked: number;
}

function toTerm({ word, terms, weight }: SoughtWord, found: number, chunks: number, instead?: SoughtWord): ScopeTerm {
  const replaced = instead !== undefined && instead.terms !== terms;
  return { word, terms, found, idf: inverseFrequency(found, chunks), weight, replaced };
}
