import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { TextTerms } from '../analysis/analyse.js';
import type { TextChunk } from '../chunking/chunk.js';
import { magnitudeBits, signBits } from '../vectors/sign-bits.js';
import { vectorBytes } from '../vectors/vector-bytes.js';
import { PassageTerms } from './passage-terms.js';
import { termsVector } from './terms-vector.js';

/** Rows per statement: big enough to save round trips, small enough for a parameter. */
const BATCH = 250;

export interface IndexTarget {
  documentUid: string;
  ownerId: number;
  /** Of this try: above all earlier ones of the document (`documents.fence`). */
  generation: number;
  /** What it is made of; unknown where absent. */
  source?: IndexSource;
}

export interface IndexSource {
  /** Of the indexer that reads it. */
  pipelineVersion: number;
  pageCount: number;
  contentSha256: string;
}

export interface ChunkVectors {
  modelId: string;
  /** One per chunk, in order. */
  vectors: readonly Float32Array[];
}

/** The only writer of the index. For workers: nothing here asks who is looking. */
@Injectable()
export class ChunkIndex {
  /**
   * Writes the chunks of one generation; what an earlier, dead try wrote under the same number is discarded. They
   * are found once `documents.index_generation` is set to it: do that and `keepOnly` in the same transaction to swap.
   * Documents do not share rows, so any number can be written at a time.
   */
  async replace(
    tx: EntityManager,
    target: IndexTarget,
    chunks: readonly TextChunk[],
    vectors?: ChunkVectors,
  ): Promise<void> {
    if (vectors && vectors.vectors.length !== chunks.length)
      throw new RangeError('There must be one vector per chunk.');
    const indexId = await this.reserve(tx, target, chunks.length, vectors?.modelId ?? null);
    const analysis = new PassageTerms(chunks);
    for (let start = 0; start < chunks.length; start += BATCH) {
      // Batch by batch, so that heartbeats and other documents come in between: long texts take seconds.
      const batch = chunks.slice(start, start + BATCH);
      const terms = batch.map((chunk) => analysis.read(chunk));
      const ids = await this.insert(tx, indexId, target.ownerId, batch, terms);
      if (vectors)
        await this.insertVectors(tx, indexId, target.ownerId, ids, vectors.vectors.slice(start, start + BATCH));
    }
    await tx.query('UPDATE document_indexes SET term_count = $2, languages = $3 WHERE id = $1', [
      indexId,
      analysis.termCount,
      analysis.languages,
    ]);
  }

  /** Discards all generations of the document but this one. */
  async keepOnly(tx: EntityManager, documentUid: string, generation: number): Promise<void> {
    await tx.query('DELETE FROM document_indexes WHERE document_uid = $1 AND generation <> $2', [
      documentUid,
      generation,
    ]);
  }

  /** Discards one generation, or all of them. */
  async discard(tx: EntityManager, documentUid: string, generation?: number): Promise<void> {
    await tx.query('DELETE FROM document_indexes WHERE document_uid = $1 AND generation = coalesce($2, generation)', [
      documentUid,
      generation ?? null,
    ]);
  }

  /** Waits for another writer of the same generation, then takes its place. */
  private async reserve(
    tx: EntityManager,
    { documentUid, ownerId, generation, source }: IndexTarget,
    chunkCount: number,
    embeddingModel: string | null,
  ): Promise<string> {
    const [row] = await tx.query<{ id: string }[]>(
      `INSERT INTO document_indexes (document_uid, owner_id, generation, chunk_count, term_count, embedding_model,
         pipeline_version, page_count, content_sha256)
       VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8)
       ON CONFLICT (document_uid, generation) DO UPDATE SET owner_id = excluded.owner_id, created_at = now(),
         chunk_count = excluded.chunk_count, term_count = excluded.term_count, embedding_model = excluded.embedding_model,
         pipeline_version = excluded.pipeline_version, page_count = excluded.page_count,
         content_sha256 = excluded.content_sha256
       RETURNING id`,
      [
        documentUid,
        ownerId,
        generation,
        chunkCount,
        embeddingModel,
        source?.pipelineVersion ?? null,
        source?.pageCount ?? null,
        source?.contentSha256 ?? null,
      ],
    );
    await tx.query('DELETE FROM chunks WHERE index_id = $1', [row!.id]);
    return row!.id;
  }

  private async insert(
    tx: EntityManager,
    indexId: string,
    ownerId: number,
    chunks: readonly TextChunk[],
    terms: readonly TextTerms[],
  ): Promise<string[]> {
    const inserted = await tx.query<{ id: string; ordinal: number }[]>(
      `INSERT INTO chunks (index_id, ordinal, term_count, terms)
       SELECT $1, ordinal, term_count, terms::tsvector
       FROM unnest($2::int[], $3::int[], $4::text[]) AS row (ordinal, term_count, terms) RETURNING id, ordinal`,
      [
        indexId,
        chunks.map(({ ordinal }) => ordinal),
        terms.map(({ terms: counted }) => counted.length),
        terms.map(({ terms: counted, more }) => termsVector(ownerId, [...counted, ...more])),
      ],
    );
    const ids = inserted.sort((left, right) => left.ordinal - right.ordinal).map(({ id }) => id);
    await tx.query(
      `INSERT INTO chunk_contents (chunk_id, page, start_offset, end_offset, text, spans, context)
       SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::text[], $6::jsonb[], $7::text[])`,
      [
        ids,
        chunks.map(({ page }) => page),
        chunks.map(({ start }) => start),
        chunks.map(({ end }) => end),
        chunks.map(({ text }) => text),
        chunks.map(({ spans }) => JSON.stringify(spans)),
        chunks.map(({ context }) => context),
      ],
    );
    return ids;
  }

  private async insertVectors(
    tx: EntityManager,
    indexId: string,
    ownerId: number,
    ids: readonly string[],
    vectors: readonly Float32Array[],
  ): Promise<void> {
    await tx.query(
      `INSERT INTO chunk_sign_bits (chunk_id, index_id, owner_id, bits, magnitudes)
       SELECT id, $2, $3, bits, magnitudes FROM unnest($1::bigint[], $4::varbit[], $5::varbit[]) AS row (id, bits, magnitudes)`,
      [ids, indexId, ownerId, vectors.map(signBits), vectors.map(magnitudeBits)],
    );
    await tx.query('INSERT INTO chunk_vectors (chunk_id, vector) SELECT * FROM unnest($1::bigint[], $2::bytea[])', [
      ids,
      vectors.map(vectorBytes),
    ]);
  }
}
