import { newId, NotFoundError, type Page, type PageRequest, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { MemoryKind } from './memory-kinds.js';
import { gistOf } from './memory-terms.js';
import { memoryKey, toCues, toMemoryText } from './memory-text.js';

/** Beyond it the one that was recalled longest ago goes. */
export const MAX_MEMORIES = 5_000;

/** What an encoder has read of a memory: its text and cues. @param encoder SQL of its id */
export const encodedAs = (encoder: string): string => `${encoder} || ' ' || md5(text || E'\\n' || cues)`;

export interface MemoryRecord {
  id: string;
  kind: MemoryKind;
  text: string;
  confidence: number;
  /** Null: the user wrote it down, or the turn is gone. */
  sourceTurnId: string | null;
  /** Whose words the conversation held that it was learnt in; empty for what the user wrote down. */
  heard: Record<string, string>;
  /** Learnt from a model of the house: no other reads it. */
  staysOnPremises: boolean;
  recallCount: number;
  lastRecalledAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface NewMemory {
  kind: MemoryKind;
  text: string;
  confidence: number;
  sourceTurnId: string | null;
  /** What it is true instead of. */
  supersedes: string | null;
  /** When it is needed, in other words. */
  cues?: readonly string[];
  /** Learnt from a model of the house: no other reads it. */
  staysOnPremises?: boolean;
  /** The same for a repetition of the call. */
  id?: string;
}

/** What became of one. */
export interface KeptMemory {
  id: string;
  /** It was known already, in these or nearly these words. */
  wasKnown: boolean;
}

const COLUMNS = `id, kind, text, confidence, source_turn_id AS "sourceTurnId", heard,
  stays_on_premises AS "staysOnPremises", recall_count AS "recallCount",
  last_recalled_at AS "lastRecalledAt", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** What is kept of users. Every method is scoped to the user; superseded memories are not shown. */
@Injectable()
export class MemoryRows {
  constructor(private readonly dataSource: DataSource) {}

  async list(
    userId: number,
    filter: { kind?: MemoryKind | undefined; search?: string | undefined },
    { page, pageSize }: PageRequest,
  ): Promise<Page<MemoryRecord>> {
    const pattern = filter.search ? `%${filter.search.replace(/[\\%_]/g, '\\$&')}%` : null;
    const condition = `user_id = $1 AND superseded_by IS NULL AND ($2::text IS NULL OR kind = $2)
      AND ($3::text IS NULL OR text ILIKE $3)`;
    const values = [userId, filter.kind ?? null, pattern];
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM agent_memories WHERE ${condition}`,
      values,
    );
    const items = await this.dataSource.query<MemoryRecord[]>(
      `SELECT ${COLUMNS} FROM agent_memories WHERE ${condition} ORDER BY updated_at DESC, id DESC LIMIT $4 OFFSET $5`,
      [...values, pageSize, (page - 1) * pageSize],
    );
    return { count, items };
  }

  /** @throws ValidationError where it is kept already */
  async create(tx: EntityManager, userId: number, memory: Pick<NewMemory, 'kind' | 'text'>): Promise<MemoryRecord> {
    const kept = await this.keep(tx, userId, { ...memory, confidence: 1, sourceTurnId: null, supersedes: null });
    if (kept === null || kept.wasKnown) throw keptAlready();
    return this.get(tx, userId, kept.id);
  }

  /** @throws NotFoundError; ValidationError where another one says it */
  async update(
    tx: EntityManager,
    userId: number,
    id: string,
    { kind, text }: { kind?: MemoryKind | undefined; text?: string | undefined },
  ): Promise<MemoryRecord> {
    const written = text === undefined ? null : toMemoryText(text);
    try {
      await tx.query(
        `UPDATE agent_memories SET kind = coalesce($3, kind), text = coalesce($4, text), text_key = coalesce($5, text_key),
           heard = CASE WHEN $4::text IS NULL THEN heard ELSE '{}' END, confidence = 1,
           cues = CASE WHEN $4::text IS NULL THEN cues ELSE '' END, vector = CASE WHEN $4::text IS NULL THEN vector END,
           signs = CASE WHEN $4::text IS NULL THEN signs END, vector_of = CASE WHEN $4::text IS NULL THEN vector_of END, updated_at = now() WHERE id = $2 AND user_id = $1 AND superseded_by IS NULL`,
        [userId, id, kind ?? null, written, written === null ? null : memoryKey(written)],
      );
    } catch (error) {
      if ((error as { code?: unknown }).code === '23505') throw keptAlready();
      throw error;
    }
    return this.get(tx, userId, id);
  }

  /** With what it superseded. @throws NotFoundError */
  async delete(userId: number, id: string, tx: EntityManager = this.dataSource.manager): Promise<void> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM agent_memories WHERE id = $2 AND user_id = $1', [
      userId,
      id,
    ]);
    if (count === 0) throw memoryNotFound();
  }

  /** @returns how many there were to be seen */
  async deleteAll(tx: EntityManager, userId: number): Promise<number> {
    const rows = await tx.query<{ is_current: boolean }[]>(
      `WITH gone AS (DELETE FROM agent_memories WHERE user_id = $1 RETURNING superseded_by IS NULL AS is_current)
       SELECT is_current FROM gone`,
      [userId],
    );
    return rows.filter((row) => row.is_current).length;
  }

  async isEnabled(userId: number): Promise<boolean> {
    const [row] = await this.dataSource.query<{ is_enabled: boolean }[]>(
      'SELECT is_enabled FROM agent_memory_settings WHERE user_id = $1',
      [userId],
    );
    return row?.is_enabled ?? true;
  }

  async setEnabled(tx: EntityManager, userId: number, isEnabled: boolean): Promise<void> {
    await tx.query(
      `INSERT INTO agent_memory_settings (user_id, is_enabled) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET is_enabled = excluded.is_enabled`,
      [userId, isEnabled],
    );
  }

  async noteRecalled(ids: readonly string[]): Promise<void> {
    await this.dataSource.query(
      'UPDATE agent_memories SET recall_count = recall_count + 1, last_recalled_at = now() WHERE id = ANY($1::uuid[])',
      [ids],
    );
  }

  /** Some of the user's, by id. */
  find(userId: number, ids: readonly string[]): Promise<MemoryRecord[]> {
    return this.dataSource.query<MemoryRecord[]>(
      `SELECT ${COLUMNS} FROM agent_memories WHERE user_id = $1 AND id = ANY($2::uuid[]) AND superseded_by IS NULL`,
      [userId, ids],
    );
  }

  /**
   * What was learnt in a conversation keeps whose words that one held, and so does what is said anew of it. What is known
   * in these or nearly these words is known better from then on; no model is needed for that.
   * @returns null when what it supersedes is gone, or the turn itself has superseded it
   */
  async keep(tx: EntityManager, userId: number, memory: NewMemory): Promise<KeptMemory | null> {
    const { id = newId(), supersedes, confidence, staysOnPremises = false } = memory;
    const text = toMemoryText(memory.text);
    const key = memoryKey(text);
    const cues = toCues(memory.cues ?? []);
    const known = await this.findSame(tx, userId, { text, key }, supersedes);
    if (known !== null) {
      await tx.query(
        `UPDATE agent_memories SET confidence = greatest(confidence, $2), stays_on_premises = stays_on_premises AND $3,
           updated_at = now(), cues = CASE WHEN cues = '' THEN $4 ELSE cues END WHERE id = $1`,
        [known, confidence, staysOnPremises, cues],
      );
      return { id: known, wasKnown: known !== id };
    }
    if (memory.id !== undefined && (await isThere(tx, userId, id))) return { id, wasKnown: true };
    if (supersedes !== null) {
      const taken = await tx.query<unknown[]>(
        `SELECT 1 FROM agent_memories WHERE id = $1 AND user_id = $2 AND superseded_by IS NULL AND text_key <> $3 FOR UPDATE`,
        [supersedes, userId, key],
      );
      if (taken.length === 0) return null;
    }
    // What a turn has superseded it does not bring back.
    const rows = await tx.query<{ id: string }[]>(
      `INSERT INTO agent_memories AS m (id, user_id, kind, text, text_key, confidence, source_turn_id, heard, cues, stays_on_premises)
       SELECT $1::uuid, $2::int, $3, $4, $5::text, $6::real, $7::uuid,
         coalesce((SELECT s.heard FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE t.id = $7::uuid), '{}')
         || coalesce((SELECT heard FROM agent_memories WHERE id = $8::uuid), '{}'), $9, $10::boolean WHERE NOT EXISTS (
         SELECT 1 FROM agent_memories o JOIN agent_memories n ON n.id = o.superseded_by
         WHERE o.user_id = $2::int AND o.text_key = $5::text AND n.source_turn_id = $7::uuid)
       ON CONFLICT (user_id, text_key) WHERE superseded_by IS NULL DO UPDATE
         SET confidence = greatest(m.confidence, excluded.confidence) RETURNING id`,
      [id, userId, memory.kind, text, key, confidence, memory.sourceTurnId, supersedes, cues, staysOnPremises],
    );
    if (rows.length === 0) return null;
    if (rows[0]!.id !== id) return { id: rows[0]!.id, wasKnown: true };
    if (supersedes !== null)
      await tx.query('UPDATE agent_memories SET superseded_by = $2 WHERE id = $1', [supersedes, id]);
    await tx.query(
      `DELETE FROM agent_memories WHERE id IN (
         SELECT id FROM agent_memories WHERE user_id = $1 AND superseded_by IS NULL AND id <> $2
         ORDER BY coalesce(last_recalled_at, updated_at) DESC OFFSET ${MAX_MEMORIES - 1})`,
      [userId, id],
    );
    return { id, wasKnown: false };
  }

  /** For some that have none, unless their text was changed meanwhile. Encoders read them anew. */
  async addCues(userId: number, cued: readonly { id: string; text: string; cues: readonly string[] }[]): Promise<void> {
    // In one order, as two conversations may do so at once.
    await this.dataSource.query(
      `UPDATE agent_memories m SET cues = n.cues, vector = NULL, signs = NULL, vector_of = NULL
       FROM (SELECT o.id, n.cues FROM unnest($2::uuid[], $3::text[], $4::text[]) AS n (id, text, cues)
         JOIN agent_memories o ON o.id = n.id AND o.user_id = $1 AND o.text = n.text AND o.cues = ''
         WHERE n.cues <> '' ORDER BY o.id FOR UPDATE OF o) n
       WHERE m.id = n.id`,
      [userId, cued.map(({ id }) => id), cued.map(({ text }) => text), cued.map(({ cues }) => toCues(cues))],
    );
  }

  /** One that says the same, but that which is superseded. */
  private async findSame(
    tx: EntityManager,
    userId: number,
    { text, key }: { text: string; key: string },
    supersedes: string | null,
  ): Promise<string | null> {
    const rows = await tx.query<{ id: string; text: string }[]>(
      `SELECT id, text FROM agent_memories WHERE user_id = $1 AND superseded_by IS NULL AND id IS DISTINCT FROM $2::uuid
         AND (text_key = $3 OR similarity(text_key, $3) > 0.5)`,
      [userId, supersedes, key],
    );
    const gist = gistOf(text);
    return rows.find((row) => gistOf(row.text) === gist)?.id ?? null;
  }

  private async get(tx: EntityManager, userId: number, id: string): Promise<MemoryRecord> {
    const [row] = await tx.query<MemoryRecord[]>(
      `SELECT ${COLUMNS} FROM agent_memories WHERE id = $2 AND user_id = $1 AND superseded_by IS NULL`,
      [userId, id],
    );
    if (!row) throw memoryNotFound();
    return row;
  }
}

/** Also one that something else has superseded since. */
async function isThere(tx: EntityManager, userId: number, id: string): Promise<boolean> {
  const found = await tx.query<unknown[]>('SELECT 1 FROM agent_memories WHERE id = $1 AND user_id = $2', [id, userId]);
  return found.length > 0;
}

const memoryNotFound = () => new NotFoundError('There is no such memory.', { code: 'memory_not_found' });
const keptAlready = () => new ValidationError({ text: ['This is remembered already.'] }, { code: 'memory_exists' });
