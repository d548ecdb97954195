import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MemoryEncoder } from './memory-encoder.js';
import { encodedAs } from './memory-rows.js';
import { signsOf, toVectorBytes } from './memory-vectors.js';

/** The built-in encoder takes a second or two for as many. */
const PORTION = 32;
const TIMEOUT_MS = 60_000;

interface Unencoded {
  id: string;
  text: string;
  read: string;
}

/**
 * Makes the vectors of memories, in the background: of new and old ones that have none, and, of people who come back, of
 * those that another encoder made. Nothing waits for them.
 */
@Injectable()
export class MemoryVectors {
  private readonly logger = new Logger(MemoryVectors.name);
  private readonly filling = new Set<number>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly embeddings: MemoryEncoder,
  ) {}

  /** Of a user whose memories were just looked at. Never throws. */
  fillSoon(userId: number): void {
    if (this.filling.has(userId)) return;
    this.filling.add(userId);
    void this.fillAll(userId)
      .catch((error: unknown) => this.logger.warn(`Memories stay without vectors for now: ${String(error)}`))
      .finally(() => this.filling.delete(userId));
  }

  /** Some that have never been read by an encoder. @returns how many */
  async fillSome(): Promise<number> {
    if (!this.embeddings.enabled) return 0;
    return this.encode(
      await this.dataSource.query<Unencoded[]>(
        `SELECT id, text || E'\\n' || cues AS text, ${encodedAs('$1::text')} AS read FROM agent_memories m
         WHERE vector_of IS NULL AND superseded_by IS NULL AND ($2 OR NOT stays_on_premises)
           AND NOT EXISTS (SELECT 1 FROM agent_memory_settings s WHERE s.user_id = m.user_id AND NOT s.is_enabled)
         LIMIT ${PORTION}`,
        [this.embeddings.modelId, this.embeddings.onPremises],
      ),
    );
  }

  private async fillAll(userId: number): Promise<void> {
    if (!this.embeddings.enabled) return;
    for (;;) {
      const rows = await this.dataSource.query<Unencoded[]>(
        `SELECT id, text || E'\\n' || cues AS text, ${encodedAs('$2::text')} AS read FROM agent_memories
         WHERE user_id = $1 AND superseded_by IS NULL AND vector_of IS DISTINCT FROM ${encodedAs('$2::text')}
           AND ($3 OR NOT stays_on_premises) ORDER BY updated_at DESC LIMIT ${PORTION}`,
        [userId, this.embeddings.modelId, this.embeddings.onPremises],
      );
      if ((await this.encode(rows)) < PORTION) return;
    }
  }

  private async encode(rows: readonly Unencoded[]): Promise<number> {
    if (rows.length === 0) return 0;
    const texts = rows.map(({ text }) => text);
    const vectors = await this.embeddings.embed(texts, AbortSignal.timeout(TIMEOUT_MS));
    // One that was changed or withdrawn meanwhile keeps none.
    await this.dataSource.query(
      `UPDATE agent_memories m SET vector = n.vector, signs = n.signs::varbit, vector_of = n.read
       FROM unnest($1::uuid[], $2::bytea[], $3::text[], $6::text[]) AS n (id, vector, read, signs)
       WHERE m.id = n.id AND ${encodedAs('$4::text')} = n.read AND ($5 OR NOT m.stays_on_premises)`,
      [
        rows.map(({ id }) => id),
        vectors.map(toVectorBytes),
        rows.map(({ read }) => read),
        this.embeddings.modelId,
        this.embeddings.onPremises,
        vectors.map(signsOf),
      ],
    );
    return rows.length;
  }
}
