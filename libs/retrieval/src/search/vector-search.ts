import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { signBits, strengthMasks } from '../vectors/sign-bits.js';
import { dot, toVector } from '../vectors/vector-bytes.js';
import { SignBitIndexes, nearestByIndex } from '../vectors/sign-bit-indexes.js';
import { eachReadable, isNarrowed, joinReadable, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import { ScopeCounter } from './scope-totals.js';

/**
 * So many by the signs hold practically all of the best ten by angle (recall@10 0.98 and better). In a small scope the
 * tenth best may be hardly nearer than any other, so more are compared, and signs are weighed by the question's
 * components; in a large one that would cost more than it finds.
 */
const CANDIDATES = { small: 600, large: 400, largeFromChunks: 50_000 };
/** Counting stops here: enough to tell a large scope from a small one. */
const COUNTED_DOCUMENTS = 6000;
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

/** Search within the scope: the nearest by sign bits, then their angles. */
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

  /** The chunks whose vectors (of the same encoder) point most nearly the same way, best first. */
  async nearest(viewer: Viewer, scope: SearchScope, question: QuestionVector, limit: number): Promise<VectorHit[]> {
    const isSmall = await this.isSmall(viewer, scope);
    const depth = Math.max(limit, isSmall ? CANDIDATES.small : CANDIDATES.large);
    const rows = isSmall
      ? await this.weighed(viewer, scope, question, depth)
      : await this.candidates(viewer, scope, question, depth);
    return rows
      .map((row) => toHit(row, question))
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
    return rows.map((row) => toHit(row, question));
  }

  private async isSmall(viewer: Viewer, scope: SearchScope): Promise<boolean> {
    const [row] = await this.dataSource.query<{ chunks: number }[]>(ABOUT_HOW_MANY, scopeParameters(viewer, scope));
    return (row?.chunks ?? 0) <= Math.min(CANDIDATES.largeFromChunks, this.options.indexFromVectors);
  }

  private weighed(viewer: Viewer, scope: SearchScope, question: QuestionVector, depth: number): Promise<Row[]> {
    const parameters = [...toParameters(viewer, scope, question), depth, ...strengthMasks(question.vector)];
    return this.dataSource.query<Row[]>(nearestBy(WEIGHED_DISTANCE), parameters);
  }

  private async candidates(
    viewer: Viewer,
    scope: SearchScope,
    question: QuestionVector,
    depth: number,
  ): Promise<Row[]> {
    const parameters = [...toParameters(viewer, scope, question), depth];
    const dimensions = question.vector.length;
    if (!isNarrowed(scope) && (await this.indexes.has(dimensions))) {
      const { vectors } = await this.counter.count(viewer, scope);
      if ((vectors[question.modelId] ?? 0) >= this.options.indexFromVectors) {
        const rows = await nearestByIndex<Row>(this.dataSource, byIndex(dimensions), parameters);
        // Fewer: too much of what the index gave belongs to others.
        if (rows.length === depth) return rows;
      }
    }
    return this.dataSource.query<Row[]>(nearestBy(DISTANCE), parameters);
  }
}

function toParameters(viewer: Viewer, scope: SearchScope, { modelId, vector }: QuestionVector): unknown[] {
  return [...scopeParameters(viewer, scope), modelId, signBits(vector)];
}

function toHit({ id, vector }: Row, question: QuestionVector): VectorHit {
  return { chunkId: id, cosine: dot(toVector(vector), question.vector) };
}

const ABOUT_HOW_MANY = `SELECT coalesce(sum(counted.chunk_count), 0)::int AS chunks
  FROM (${eachReadable('i.chunk_count')} LIMIT ${COUNTED_DOCUMENTS}) AS counted`;

const DIFFERENCE = 'b.bits # $8::varbit';
const DISTANCE = `bit_count(${DIFFERENCE})`;
/** With $10 and $11 of `strengthMasks`: a sign weighs 1, 4 among the stronger components, 8 among the strongest. */
const WEIGHED_DISTANCE = `bit_count(${DIFFERENCE}) + 3 * bit_count((${DIFFERENCE}) & $10::varbit) + 4 * bit_count((${DIFFERENCE}) & $11::varbit)`;

/**
 * After the scope's: $7 encoder, $8 sign bits, $9 how many. A scan by one core: the other looks for words at the same time. A vector of
 * another length has no distance: the same name may by now stand for another encoder. Without the fence (OFFSET 0), each
 * vector would be joined with its document, not each document with its vectors.
 */
const nearestBy = (distance: string) => `
  WITH near AS (
    SELECT chunk_id, distance FROM (
      SELECT b.chunk_id, CASE WHEN length(b.bits) = length($8::varbit) THEN ${distance} END AS distance
      FROM (SELECT index_id FROM (${eachReadable('i.id AS index_id', 'AND i.embedding_model = $7')}) AS readable OFFSET 0) AS readable
      JOIN chunk_sign_bits b USING (index_id)
    ) AS bits ORDER BY distance NULLS LAST LIMIT $9
  )
  SELECT n.chunk_id AS id, v.vector FROM near n JOIN chunk_vectors v USING (chunk_id) WHERE n.distance IS NOT NULL`;

/** The same through an index over everybody's vectors; what the viewer may not read is passed over. */
const byIndex = (dimensions: number) => `
  WITH near AS (
    SELECT b.chunk_id FROM chunk_sign_bits b ${joinReadable('b.index_id')} AND i.embedding_model = $7
    WHERE length(b.bits) = ${dimensions}
    ORDER BY b.bits::bit(${dimensions}) <~> $8::bit(${dimensions}) LIMIT $9
  )
  SELECT n.chunk_id AS id, v.vector FROM near n JOIN chunk_vectors v USING (chunk_id)`;

/** After the scope's: $7 encoder, $8 sign bits, $9 chunks. */
const WANTED = `
  SELECT v.chunk_id AS id, v.vector FROM chunk_vectors v JOIN chunk_sign_bits b USING (chunk_id) ${joinReadable('b.index_id')}
    AND i.embedding_model = $7
  WHERE v.chunk_id = ANY ($9::bigint[]) AND length(b.bits) = length($8::varbit)`;
