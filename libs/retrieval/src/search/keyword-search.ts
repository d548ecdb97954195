import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { questionWords } from '../analysis/question-words.js';
import { inverseFrequency } from './bm25.js';
import { lookCloser } from './closer-look.js';
import { LikeWords } from './like-words.js';
import { RarestWords } from './rarest-words.js';
import { isNarrowed, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import { ScopeCounter, type ScopeTotals } from './scope-totals.js';
import { Scoring, WAYS, type KeywordWays, type Question } from './scoring.js';
import { anyQuery, type SoughtWord } from './term-queries.js';
import { wordsThere } from './words-there.js';

export interface KeywordHit {
  chunkId: string;
  /** BM25. */
  score: number;
  /**
   * `score` over what a chunk would get that holds every term of the question without end, and more where the words
   * stand close together or in the title: 0 to 1. Hits are in its order.
   */
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
  private readonly scoring: Scoring;

  constructor(
    private readonly dataSource: DataSource,
    @Optional() ways: KeywordWays = WAYS,
  ) {
    this.counter = new ScopeCounter(dataSource);
    this.like = new LikeWords(dataSource);
    this.rarest = new RarestWords(dataSource);
    this.scoring = new Scoring(dataSource, ways);
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
    const { rows, found, sought } = await this.find({ parameters, words, limit, narrowed }, totals);
    const terms = words.map((word, at) => toTerm(word, found[at]!, totals.chunks, sought[at]));
    const idfs = sought.map((_, at) => inverseFrequency(rows[0]?.found[at] ?? 0, totals.chunks));
    return { hits: lookCloser(rows, sought, idfs, totals), terms };
  }

  /** `found`: chunks with each word as it was asked; `sought`: what was looked for in the end. */
  private async find(question: Question, totals: ScopeTotals) {
    const { words } = question;
    // In large scopes the sample nearly tells which words nothing has: what is meant is then scored at once.
    const sample = await this.scoring.candidates(question, totals);
    const there = sample ? await this.lookUp(words, sample.unseen, totals) : words.map(() => true);
    const replaced = await this.like.replace(words, there, totals);
    const meant = replaced ? { ...question, words: replaced } : question;
    const choice = replaced ? await this.scoring.candidates(meant, totals) : sample;
    const rows = await this.scoring.find(meant, totals, choice);
    const seen = rows[0]?.found ?? [];
    const found = words.map((_, at) => (there[at] ? (seen[at] ?? 0) : 0));
    // What only documents outside of the scope have is not missed before.
    const missed = words.map((_, at) => there[at] === false || found[at] !== 0);
    const instead = missed.every(Boolean) ? null : await this.like.replace(meant.words, missed, totals);
    if (!instead) return { rows, found, sought: meant.words };
    const again = { ...question, words: instead };
    const candidates = choice ? await this.scoring.candidates(again, totals) : null;
    return { rows: await this.scoring.find(again, totals, candidates), found, sought: instead };
  }

  /** Which of the words any document of these owners has; `unseen` are those that a sample did not show. */
  private async lookUp(words: readonly SoughtWord[], unseen: readonly number[], { owners }: ScopeTotals) {
    const queries = unseen.map((at) => owners.map((owner) => anyQuery(words[at]!, owner)).join(' | '));
    const there = await wordsThere(this.dataSource, queries);
    return words.map((_, at) => !unseen.includes(at) || there[unseen.indexOf(at)]!);
  }
}

function toTerm({ word, terms, weight }: SoughtWord, found: number, chunks: number, instead?: SoughtWord) {
  const replaced = instead !== undefined && instead.terms !== terms;
  return { word, terms, found, idf: inverseFrequency(found, chunks), weight, replaced };
}
