import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { analyse } from '../analysis/analyse.js';
import { lexemeLiteral } from '../chunk-index/terms-vector.js';
import { chooseCandidates, sampleRate, type SampleGroup } from './candidates.js';
import { OVERLOOK, sampleStatement, scoreStatement, type Way } from './keyword-statements.js';
import { isNarrowed, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import { ScopeCounter, type ScopeTotals } from './scope-totals.js';

/** A question has few words that matter; of a pasted page the longest are taken, which are seldom common. */
const MAX_TERMS = 24;
const WAYS = {
  /** Up to here it is cheaper to read every chunk of the scope than to go through the index. */
  scanChunks: 2000,
  /** The index knows nothing of folders and classes: going through a large corpus for a part of it costs more. */
  scanNarrowedChunks: 20_000,
  /** From here on it takes longer to list the documents that may be read than to look at those of the best chunks. */
  bestFromChunks: 30_000,
};
/** From here on candidates are chosen by a sample. */
const SAMPLE_FROM_CHUNKS = 8000;

export interface KeywordHit {
  chunkId: string;
  /** BM25. */
  score: number;
  /** `score` over what a chunk would get that holds every term of the question without end: 0 to 1. */
  share: number;
}

/** Full text search with BM25, whose statistics are those of the scope at that moment: nobody else's words weigh in. */
@Injectable()
export class KeywordSearch {
  private readonly counter: ScopeCounter;

  constructor(
    private readonly dataSource: DataSource,
    @Optional() private readonly ways: typeof WAYS = WAYS,
  ) {
    this.counter = new ScopeCounter(dataSource);
  }

  /**
   * The best chunks, best first.
   * @param known totals of the scope, by a caller who has them
   */
  async search(
    viewer: Viewer,
    scope: SearchScope,
    query: string,
    limit: number,
    known?: ScopeTotals,
  ): Promise<KeywordHit[]> {
    const terms = questionTerms(query);
    if (terms.length === 0) return [];
    const totals = known ?? (await this.counter.count(viewer, scope));
    if (totals.chunks === 0) return [];
    const question = { parameters: scopeParameters(viewer, scope), terms, limit };
    const way = this.chooseWay(totals, isNarrowed(scope));
    const rows = await this.score(question, totals, way);
    const isShort = way === 'best' && rows.length < limit && (rows[0]?.looked ?? limit * OVERLOOK) === limit * OVERLOOK;
    const complete = isShort ? await this.score(question, totals, 'each') : rows;
    return complete.map(({ id, score, best }) => ({ chunkId: id, score, share: best > 0 ? score / best : 0 }));
  }

  private async score({ parameters, terms, limit }: Question, totals: ScopeTotals, way: Way): Promise<Scored[]> {
    const { owners, chunks, meanLength } = totals;
    const each = terms.map((term) => owners.map((owner) => lexemeLiteral(owner, term)));
    const sampled = way !== 'scan' && chunks >= SAMPLE_FROM_CHUNKS;
    const choice = sampled
      ? chooseCandidates(terms.length, chunks, await this.sample(parameters, { owners, chunks, each }, way))
      : null;
    const wanted = owners.map((_, at) =>
      choice ? choice.condition((term) => each[term]![at]!) : each.map((literals) => literals[at]!).join(' | '),
    );
    const counts = terms.map((_, term) => (choice && !choice.alone.has(term) ? choice.found[term]! : null));
    const scope = [...parameters, owners, wanted, chunks, meanLength, limit, counts, ...each];
    return this.dataSource.query<Scored[]>(scoreStatement(terms.length, way), scope);
  }

  private chooseWay({ chunks }: ScopeTotals, narrowed: boolean): Way {
    if (chunks <= (narrowed ? this.ways.scanNarrowedChunks : this.ways.scanChunks)) return 'scan';
    if (chunks < this.ways.bestFromChunks) return 'set';
    return narrowed ? 'each' : 'best';
  }

  private async sample(
    parameters: unknown[],
    { owners, chunks, each }: { owners: number[]; chunks: number; each: string[][] },
    way: Way,
  ): Promise<SampleGroup[]> {
    const anyOf = owners.map((_, at) => each.map((literals) => literals[at]!).join(' | '));
    const statement = sampleStatement(each.length, sampleRate(chunks), way === 'best' ? 'best' : 'each');
    return this.dataSource.query(statement, [...parameters, owners, anyOf, ...each]);
  }
}

interface Question {
  parameters: unknown[];
  terms: string[];
  limit: number;
}

interface Scored {
  id: string;
  score: number;
  best: number;
  looked: number;
}

function questionTerms(query: string): string[] {
  const terms = [...new Set(analyse(query))];
  return terms.length <= MAX_TERMS
    ? terms
    : terms.sort((left, right) => right.length - left.length).slice(0, MAX_TERMS);
}
