import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { signBits } from '../vectors/sign-bits.js';
import { dot, toVector } from '../vectors/vector-bytes.js';
import { READABLE, scopeParameters, type SearchScope, type Viewer } from './scope.js';

/** So many by Hamming distance hold practically all of the best ten by angle (recall@10 0.985 and better). */
const CANDIDATES = 400;

export interface VectorHit {
  chunkId: string;
  /** -1 to 1. */
  cosine: number;
}

export interface VectorQuery {
  modelId: string;
  /** Of the question, unit length. */
  vector: Float32Array;
  limit: number;
  also?: readonly string[];
}

/** Exact search within the scope: a scan of sign bits, then the angles of the nearest. */
@Injectable()
export class VectorSearch {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The chunks whose vectors (of the same encoder) point most nearly the same way, best first.
   * @param also chunks whose cosines are wanted too, however far they are
   */
  async search(
    viewer: Viewer,
    scope: SearchScope,
    { modelId, vector, limit, also = [] }: VectorQuery,
  ): Promise<VectorHit[]> {
    const rows = await this.dataSource.query<{ id: string; wanted: boolean; vector: Buffer }[]>(
      `WITH ${READABLE},
       bits AS (
         SELECT b.chunk_id, b.bits FROM readable r JOIN chunk_sign_bits b ON b.index_id = r.index_id
         WHERE r.embedding_model = $7 AND length(b.bits) = length($8::varbit)
       ),
       near AS (
         (SELECT chunk_id FROM bits ORDER BY bit_count(bits # $8::varbit) LIMIT $9)
         UNION SELECT chunk_id FROM bits WHERE chunk_id = ANY ($10::bigint[])
       )
       SELECT near.chunk_id AS id, near.chunk_id = ANY ($10::bigint[]) AS wanted, v.vector
       FROM near JOIN chunk_vectors v USING (chunk_id)`,
      [...scopeParameters(viewer, scope), modelId, signBits(vector), Math.max(CANDIDATES, limit), also],
    );
    return rows
      .map((row) => ({ chunkId: row.id, wanted: row.wanted, cosine: dot(toVector(row.vector), vector) }))
      .sort((left, right) => right.cosine - left.cosine)
      .filter(({ wanted }, at) => wanted || at < limit)
      .map(({ chunkId, cosine }) => ({ chunkId, cosine }));
  }
}
