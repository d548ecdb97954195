import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { analyse } from '../analysis/analyse.js';
import { lexemeLiteral } from '../chunk-index/terms-vector.js';
import { chooseCandidates, sampleRate, type SampleGroup } from './candidates.js';
import { sampleStatement, scoreStatement } from './keyword-statements.js';
import { isNarrowed, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import { ScopeCounter } from './scope-totals.js';

/** A question has few words that matter; of a pasted page the longest are taken, which are seldom common. */
const MAX_TERMS = 24;
/** Up to here it is cheaper to read every chunk of the scope than to go through the index. */
const SCAN_CHUNKS = 2000;
/** The index knows nothing of folders and classes: going through a large corpus for a part of it costs more. */
const SCAN_NARROWED_CHUNKS = 20_000;
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

  constructor(private readonly dataSource: DataSource) {
    this.counter = new ScopeCounter(dataSource);
  }

  /** The best chunks, best first. */
  async search(viewer: Viewer, scope: SearchScope, query: string, limit: number): Promise<KeywordHit[]> {
    const terms = questionTerms(query);
    if (terms.length === 0) return [];
    const parameters = scopeParameters(viewer, scope);
    const { owners, chunks, meanLength } = await this.counter.count(viewer, scope);
    if (chunks === 0) return [];
    const scan = chunks <= (isNarrowed(scope) ? SCAN_NARROWED_CHUNKS : SCAN_CHUNKS);
    const each = terms.map((term) => owners.map((owner) => lexemeLiteral(owner, term)));
    const sampled = !scan && chunks >= SAMPLE_FROM_CHUNKS;
    const choice = sampled
      ? chooseCandidates(terms.length, chunks, await this.sample(parameters, { owners, chunks, each }))
      : null;
    const wanted = owners.map((_, at) =>
      choice ? choice.condition((term) => each[term]![at]!) : each.map((literals) => literals[at]!).join(' | '),
    );
    const counts = terms.map((_, term) => (choice && !choice.alone.has(term) ? choice.found[term]! : null));
    const rows = await this.dataSource.query<{ id: string; score: number; best: number }[]>(
      scoreStatement(terms.length, scan),
      [...parameters, owners, wanted, chunks, meanLength, limit, counts, ...each],
    );
    return rows.map(({ id, score, best }) => ({ chunkId: id, score, share: best > 0 ? score / best : 0 }));
  }

  private async sample(
    parameters: unknown[],
    { owners, chunks, each }: { owners: number[]; chunks: number; each: string[][] },
  ): Promise<SampleGroup[]> {
    const anyOf = owners.map((_, at) => each.map((literals) => literals[at]!).join(' | '));
    const statement = sampleStatement(each.length, sampleRate(chunks));
    return this.dataSource.query(statement, [...parameters, owners, anyOf, ...each]);
  }
}

function questionTerms(query: string): string[] {
  const terms = [...new Set(analyse(query))];
  return terms.length <= MAX_TERMS
    ? terms
    : terms.sort((left, right) => right.length - left.length).slice(0, MAX_TERMS);
}
