import { detectLanguage } from '@app/retrieval';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MemoryEncoder } from './memory-encoder.js';
import { MemoryVectors } from './memory-encoding.js';
import { withTerms } from './memory-terms.js';
import { cosineBySigns, cosineOf, signsOf } from './memory-vectors.js';
import type { Reminded } from '../agent/memories.js';
import type { MemoryKind } from './memory-kinds.js';
import type { Asked, RankedMemory } from './rank-memories.js';
import { encodedAs, MAX_MEMORIES } from './memory-rows.js';

/** An answer waits for it: later, words alone have to do. */
const PATIENCE_MS = 1_500;
const MAX_QUESTION = 2_000;
/** Nearest by their signs, of which the vectors themselves are read. */
const LOOKED_AT = 100;

export interface FoundMemory extends RankedMemory {
  id: string;
  kind: MemoryKind;
  text: string;
  cues: string;
  heard: Record<string, string>;
}

interface Row {
  id: string;
  kind: MemoryKind;
  text: string;
  cues: string;
  confidence: number;
  heard: Record<string, string>;
  /** Whether this encoder has read it. */
  encoded: boolean;
  /** Share of the signs that differ from those of the question. */
  distance: number | null;
  /** Of the nearest. */
  vector: Buffer | null;
}

/** All memories of a user beside a question, in one statement. Without an encoder, or while it is away, by words alone. */
@Injectable()
export class MemorySearch {
  private readonly logger = new Logger(MemorySearch.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly embeddings: MemoryEncoder,
    private readonly vectors: MemoryVectors,
  ) {}

  /** Newest first. */
  async compare(
    { userId, onPremises }: Reminded,
    question: string,
  ): Promise<{ asked: Asked; memories: FoundMemory[] }> {
    // A question for a model of the house is sent to no encoder elsewhere.
    const encodes = this.embeddings.enabled && (this.embeddings.onPremises || !onPremises);
    const compares = encodes && this.reads(question) && (await this.hasVectors(userId));
    const vector = compares ? await this.encode(question) : null;
    const rows = await this.dataSource.query<Row[]>(
      `SELECT id, kind, text, cues, confidence, heard, encoded, distance,
         CASE WHEN row_number() OVER (ORDER BY distance NULLS LAST) <= ${LOOKED_AT} AND distance IS NOT NULL THEN vector END AS vector
       FROM (SELECT *, CASE WHEN encoded AND length(signs) = length($5::varbit)
           THEN bit_count(signs # $5::varbit)::real / length(signs) END AS distance
         FROM (SELECT id, kind, text, cues, confidence, heard, vector, signs, updated_at,
             coalesce($3 AND vector_of = ${encodedAs('$4::text')}, false) AS encoded
           FROM agent_memories WHERE user_id = $1 AND superseded_by IS NULL AND ($2 OR NOT stays_on_premises)
           ORDER BY updated_at DESC, id DESC LIMIT ${MAX_MEMORIES}) own) compared
       ORDER BY updated_at DESC, id DESC`,
      [userId, onPremises, encodes, this.embeddings.modelId, vector ? signsOf(vector) : null],
    );
    if (encodes && rows.some((row) => !row.encoded)) this.vectors.fillSoon(userId);
    const memories = (await withTerms(rows)).map((row) => ({ ...row, cosine: cosineTo(vector, row) }));
    return {
      asked: { question: question.slice(0, MAX_QUESTION), meaning: this.embeddings.hybridWeight },
      memories,
    };
  }

  /** Most people have nothing to compare with. */
  private async hasVectors(userId: number): Promise<boolean> {
    const [{ has }] = await this.dataSource.query<[{ has: boolean }]>(
      `SELECT EXISTS (SELECT 1 FROM agent_memories WHERE user_id = $1 AND superseded_by IS NULL AND vector_of IS NOT NULL) AS has`,
      [userId],
    );
    return has;
  }

  /** An encoder of one language makes noise of the others. */
  private reads(question: string): boolean {
    const { language } = this.embeddings;
    return language === null || (detectLanguage(question) ?? language) === language;
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

function cosineTo(asked: Float32Array | null, { vector, distance }: Row): number | null {
  const exact = asked && vector && cosineOf(asked, vector);
  return exact ?? (distance === null ? null : cosineBySigns(distance));
}
