import { Embeddings } from '@app/integrations';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MemoryVectors } from './memory-encoding.js';
import { withTerms, termsOf } from './memory-terms.js';
import { cosineOf } from './memory-vectors.js';
import type { Reminded } from '../agent/memories.js';
import type { MemoryKind } from './memory-kinds.js';
import type { RankedMemory } from './rank-memories.js';
import { encodedAs, MAX_MEMORIES } from './memory-rows.js';

/** An answer waits for it: later, words alone have to do. */
const PATIENCE_MS = 1_500;
const MAX_QUESTION = 2_000;

export interface FoundMemory extends RankedMemory {
  id: string;
  kind: MemoryKind;
  text: string;
  heard: Record<string, string>;
}

interface Row {
  id: string;
  kind: MemoryKind;
  text: string;
  cues: string;
  confidence: number;
  heard: Record<string, string>;
  vector: Buffer | null;
}

/** All memories of a user beside a question, in one statement. Without an encoder, or while it is away, by words alone. */
@Injectable()
export class MemorySearch {
  private readonly logger = new Logger(MemorySearch.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly embeddings: Embeddings,
    private readonly vectors: MemoryVectors,
  ) {}

  /** Newest first. */
  async compare(
    { userId, onPremises }: Reminded,
    question: string,
  ): Promise<{ asked: ReadonlySet<string>; memories: FoundMemory[] }> {
    // A question for a model of the house is sent to no encoder elsewhere.
    const encodes = this.embeddings.enabled && (this.embeddings.onPremises || !onPremises);
    const [rows, vector] = await Promise.all([
      this.dataSource.query<Row[]>(
        `SELECT id, kind, text, cues, confidence, heard,
           CASE WHEN $3 AND vector_of = ${encodedAs('$4::text')} THEN vector END AS vector FROM agent_memories
         WHERE user_id = $1 AND superseded_by IS NULL AND ($2 OR NOT stays_on_premises)
         ORDER BY updated_at DESC, id DESC LIMIT ${MAX_MEMORIES}`,
        [userId, onPremises, encodes, this.embeddings.modelId],
      ),
      encodes ? this.encode(question) : null,
    ]);
    if (encodes && rows.some((row) => row.vector === null)) this.vectors.fillSoon(userId);
    const memories = (await withTerms(rows)).map((row) => ({
      ...row,
      cosine: vector && row.vector ? cosineOf(vector, row.vector) : null,
    }));
    return { asked: termsOf(question.slice(0, MAX_QUESTION)), memories };
  }

  private async encode(question: string): Promise<Float32Array | null> {
    try {
      const [vector] = await this.embeddings.embed([question.slice(0, MAX_QUESTION)], AbortSignal.timeout(PATIENCE_MS));
      return vector ?? null;
    } catch (error) {
      this.logger.warn(`Memories are looked up by words alone: ${String(error)}`);
      return null;
    }
  }
}
