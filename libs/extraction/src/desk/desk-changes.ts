import { ConflictError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { getTable, lockTable, type TableActor } from '../tables/table-access.js';
import { keepChange, type TableChangeEntry } from '../tables/table-changes.js';
import { MAX_CHANGED } from '../tables/table-limits.js';
import type { TableRecord } from '../tables/table-record.js';

/** A call of an agent, under a name that its repetition has, too. */
export interface DeskCall {
  tableId: string;
  userId: number;
  turnId: string;
  /** Unique in its turn. */
  key: string;
}

/** What a call brought about, as it is told. */
export type DeskOutcome = Record<string, string | number | boolean | readonly string[]>;

/** What changes the locked table. */
export type DeskWork = (
  tx: EntityManager,
  table: TableRecord,
  actor: TableActor,
) => Promise<{ entries: TableChangeEntry[]; outcome: DeskOutcome }>;

/** Everything that one turn has changed, and is undone together. */
export interface TurnChange {
  id: string;
  entries: TableChangeEntry[];
  /** Names of files by ids of rows, of those that are still there. */
  filenames: ReadonlyMap<string, string>;
}

/** Changes of a turn of table-chat: each call counts once, however often it is carried out, and all can be undone. */
@Injectable()
export class DeskChanges {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Carries out a call, unless it was before: the worker may have been lost after it.
   * @throws NotFoundError, ForbiddenError with the rights of this moment; ConflictError `turn_change_limit`
   */
  async carryOut(call: DeskCall, work: DeskWork): Promise<DeskOutcome> {
    const { tableId, userId, turnId, key } = call;
    return this.dataSource.transaction(async (tx) => {
      // Locks, so that a worker that was thought lost and the one in its place come one after the other.
      const table = await lockTable(tx, userId, tableId, 'write');
      const [done] = await tx.query<{ outcome: DeskOutcome }[]>(
        `SELECT calls -> $3 AS outcome FROM extracted_table_changes
         WHERE table_id = $1 AND turn_id = $2 AND calls ? $3 LIMIT 1`,
        [tableId, turnId, key],
      );
      if (done) return done.outcome;
      const [user] = await tx.query<{ username: string }[]>('SELECT username FROM users WHERE id = $1', [userId]);
      const { entries, outcome } = await work(tx, table, { userId, username: user?.username ?? '' });
      if (entries.length === 0) return outcome;
      await this.keep(tx, call, entries, outcome);
      await tx.query('UPDATE extracted_tables SET updated_at = now() WHERE id = $1', [tableId]);
      return outcome;
    });
  }

  /** Everything that the turn has changed and that was not undone, in its order; null for nothing. @throws NotFoundError, ForbiddenError */
  async ofTurn(viewerId: number, tableId: string, turnId: string): Promise<TurnChange | null> {
    await getTable(this.dataSource, viewerId, tableId, 'read');
    const [change] = await this.dataSource.query<Omit<TurnChange, 'filenames'>[]>(
      `SELECT id, changes AS entries FROM extracted_table_changes
       WHERE table_id = $1 AND turn_id = $2 AND undone_at IS NULL ORDER BY id DESC LIMIT 1`,
      [tableId, turnId],
    );
    if (!change) return null;
    const ids = change.entries.flatMap((entry) => (entry.type === 'row' ? [] : [entry.rowId]));
    const rows = await this.dataSource.query<{ id: string; filename: string }[]>(
      'SELECT id, filename FROM extracted_rows WHERE table_id = $1 AND id = ANY($2::uuid[])',
      [tableId, [...new Set(ids)]],
    );
    return { ...change, filenames: new Map(rows.map(({ id, filename }) => [id, filename])) };
  }

  private async keep(
    tx: EntityManager,
    { tableId, userId, turnId, key }: DeskCall,
    entries: TableChangeEntry[],
    outcome: DeskOutcome,
  ): Promise<void> {
    const [open] = await tx.query<{ id: string; count: number }[]>(
      `SELECT id, jsonb_array_length(changes) AS count FROM extracted_table_changes
       WHERE table_id = $1 AND turn_id = $2 AND undone_at IS NULL`,
      [tableId, turnId],
    );
    // What cannot be undone an agent does not do.
    if ((open?.count ?? 0) + entries.length > MAX_CHANGED)
      throw new ConflictError(`One turn may change ${MAX_CHANGED} cells and rows at most, so that it can be undone.`, {
        code: 'turn_change_limit',
      });
    const id = open?.id ?? (await keepChange(tx, userId, tableId, turnId, []));
    await tx.query(
      `UPDATE extracted_table_changes SET changes = changes || $2::jsonb,
         calls = coalesce(calls, '{}'::jsonb) || jsonb_build_object($3::text, $4::jsonb) WHERE id = $1`,
      [id, JSON.stringify(entries), key, JSON.stringify(outcome)],
    );
  }
}
