import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openContent, sealContent } from './sealed-content.js';
import type { ModelContent, ToolContent } from './trace-content.js';

const BATCH = 1_000;

export interface NewEntry {
  id: string;
  turnId: string;
  kind: 'model' | 'tool';
  beganAt: Date;
  content: ModelContent | ToolContent;
}

export interface EntryPlace {
  id: string;
  kind: 'model' | 'tool';
  beganAt: Date;
}

/** The entries of traces as rows: sealed, whatever chat they are of. */
@Injectable()
export class TraceRows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** None of turns that are gone, and none of those whose texts only the client can read by now. A batch may be written twice. */
  async write(entries: readonly NewEntry[]): Promise<void> {
    const rows = await Promise.all(
      entries.map(async ({ id, turnId, kind, beganAt, content }) => ({
        id,
        turn_id: turnId,
        kind,
        began_at: beganAt,
        content: (await sealContent(this.sealing, id, content)).toString('base64'),
      })),
    );
    await this.dataSource.query(
      `INSERT INTO chat_trace_entries (id, turn_id, kind, began_at, content_sealed)
       SELECT n.id, n.turn_id, n.kind, n.began_at, decode(n.content, 'base64')
       FROM jsonb_to_recordset($1::jsonb) AS n (id uuid, turn_id uuid, kind text, began_at timestamptz, content text)
       JOIN chat_turns t ON t.id = n.turn_id
       WHERE NOT t.request ? 'erased' AND t.question !~ '^enc:v1:'
       ON CONFLICT (id) DO UPDATE SET content_sealed = excluded.content_sealed`,
      [JSON.stringify(rows)],
    );
  }

  places(turnId: string): Promise<EntryPlace[]> {
    return this.dataSource.query<EntryPlace[]>(
      'SELECT id, kind, began_at AS "beganAt" FROM chat_trace_entries WHERE turn_id = $1',
      [turnId],
    );
  }

  async contents(turnId: string, ids: readonly string[]): Promise<Map<string, ModelContent | ToolContent>> {
    const rows = await this.dataSource.query<{ id: string; sealed: Buffer }[]>(
      'SELECT id, content_sealed AS sealed FROM chat_trace_entries WHERE turn_id = $1 AND id = ANY ($2::uuid[])',
      [turnId, ids],
    );
    const opened = new Map<string, ModelContent | ToolContent>();
    for (const { id, sealed } of rows) {
      const content = await openContent(this.sealing, id, sealed);
      if (content) opened.set(id, content);
    }
    return opened;
  }

  /** Old ones, and those of turns that were encrypted at the very moment in which they were written. @returns whether there may be more */
  async forgetSome(days: number): Promise<boolean> {
    const [, old] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM chat_trace_entries WHERE id IN (
         SELECT id FROM chat_trace_entries WHERE created_at < now() - $1 * interval '1 day' LIMIT ${BATCH}
         FOR UPDATE SKIP LOCKED)`,
      [days],
    );
    return old === BATCH;
  }

  async forgetEncrypted(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM chat_trace_entries e USING chat_turns t
       WHERE t.id = e.turn_id AND (t.request ? 'erased' OR t.question ~ '^enc:v1:')`,
    );
  }
}
