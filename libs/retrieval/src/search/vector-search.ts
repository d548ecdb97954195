import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { componentWeights, signBits } from '../vectors/sign-bits.js';
import { cosines } from '../vectors/vector-bytes.js';
import { SignBitIndexes, nearestByIndex } from '../vectors/sign-bit-indexes.js';
import { NEAREST, NEAREST_OF_ALL, OVERLOOK, WANTED, nearestByIndexStatement } from './nearest-statements.js';
import { isNarrowed, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import { ScopeCounter, type ScopeTotals } from './scope-totals.js';

/**
 * So many hold practically all of the best ten by angle (recall@10 0.99). To read a vector costs as much as to look at
 * the bits of a hundred.
 */
const COMPARED = { small: 150, large: 400, largeFromChunks: 50_000 };
/** Up to here reading every sign bit of the scope is as fast as an approximate index, and exact. */
const INDEX_FROM_VECTORS = 200_000;

export interface VectorHit {
  chunkId: string;
  /** -1 to 1. */
  cosine: number;
}

/** A question as its encoder sees it. */
export interface QuestionVector {
  modelId: string;
  /** Unit length. */
  vector: Float32Array;
}

type Row = { id: string; vector: Buffer };

/** Search within the scope: the nearest by sign bits, of these the nearest by bits that say more, then their angles. */
@Injectable()
export class VectorSearch {
  private readonly counter: ScopeCounter;
  private readonly indexes: SignBitIndexes;

  constructor(
    private readonly dataSource: DataSource,
    @Optional() private readonly options: { indexFromVectors: number } = { indexFromVectors: INDEX_FROM_VECTORS },
  ) {
    this.counter = new ScopeCounter(dataSource);
    this.indexes = new SignBitIndexes(dataSource);
  }

  /**
   * The chunks whose vectors (of the same encoder) point most nearly the same way, best first: at most `limit`, and at
   * most 150 or 400 by the size of the scope.
   * @param totals of the scope, by a caller who knows them
   */
  async nearest(
    viewer: Viewer,
    scope: SearchScope,
    question: QuestionVector,
    limit: number,
    totals?: ScopeTotals,
  ): Promise<VectorHit[]> {
    const { chunks, vectors } = totals ?? (await this.counter.count(viewer, scope));
    const most = vectors[question.modelId] ?? 0;
    if (most === 0) return [];
    const parameters = toParameters(viewer, scope, question);
    const depth = chunks < COMPARED.largeFromChunks ? COMPARED.small : COMPARED.large;
    const rows =
      (isNarrowed(scope) ? null : await this.ofAll(parameters, question, depth, most)) ??
      (await this.compare(NEAREST, parameters, question, depth));
    return toHits(rows, question)
      .sort((left, right) => right.cosine - left.cosine)
      .slice(0, limit);
  }

  /** How near these chunks are, however far; in any order, without those that have no vector of the same encoder. */
  async cosines(
    viewer: Viewer,
    scope: SearchScope,
    question: QuestionVector,
    chunkIds: readonly string[],
  ): Promise<VectorHit[]> {
    if (chunkIds.length === 0) return [];
    const rows = await this.dataSource.query<Row[]>(WANTED, [...toParameters(viewer, scope, question), chunkIds]);
    return toHits(rows, question);
  }

  /** The shorter ways, which know nothing of narrowed scopes; null when too much of what they found is not readable. */
  private async ofAll(
    parameters: unknown[],
    question: QuestionVector,
    depth: number,
    most: number,
  ): Promise<Row[] | null> {
    const dimensions = question.vector.length;
    if (most >= this.options.indexFromVectors && (await this.indexes.has(dimensions))) {
      const statement = nearestByIndexStatement(dimensions);
      const rows = await nearestByIndex<Row>(this.dataSource, statement, [...parameters, depth]);
      if (rows.length === depth) return rows;
    }
    const rows = await this.compare<Row & { looked: number }>(NEAREST_OF_ALL, parameters, question, depth);
    const [first] = rows;
    return first && (rows.length === depth || first.looked < depth * OVERLOOK) ? rows : null;
  }

  private compare<T extends Row>(statement: string, parameters: unknown[], question: QuestionVector, depth: number) {
    return this.dataSource.query<T[]>(statement, [...parameters, ...componentWeights(question.vector), depth]);
  }
}

function toParameters(viewer: Viewer, scope: SearchScope, { modelId, vector }: QuestionVector): unknown[] {
  return [...scopeParameters(viewer, scope), modelId, signBits(vector)];
}

function toHits(rows: readonly Row[], question: QuestionVector): VectorHit[] {
  const angles = cosines(
    question.vector,
    rows.map(({ vector }) => vector),
  );
  return rows.map(({ id }, at) => ({ chunkId: id, cosine: angles[at]! }));
}
