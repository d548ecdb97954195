import { type AuditAction, AuditLog } from '@app/audit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { MemoryKind } from './memory-kinds.js';
import { type MemoryRecord, MemoryRows } from './memory-rows.js';

interface Editor {
  userId: number;
  username: string;
}

/** What people do to their memories themselves, written down with it; never what a memory says. */
@Injectable()
export class MemoryEdits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: MemoryRows,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ValidationError where it is kept already */
  create(editor: Editor, memory: { kind: MemoryKind; text: string }): Promise<MemoryRecord> {
    return this.dataSource.transaction(async (tx) => {
      const made = await this.rows.create(tx, editor.userId, memory);
      await this.record(tx, editor, 'memory.created', `memory:${made.id}`, { kind: made.kind });
      return made;
    });
  }

  /** @throws NotFoundError; ValidationError where another one says it */
  change(
    editor: Editor,
    id: string,
    change: { kind?: MemoryKind | undefined; text?: string | undefined },
  ): Promise<MemoryRecord> {
    return this.dataSource.transaction(async (tx) => {
      const changed = await this.rows.update(tx, editor.userId, id, change);
      const fields = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : field));
      await this.record(tx, editor, 'memory.changed', `memory:${id}`, { fields });
      return changed;
    });
  }

  /** @throws NotFoundError */
  delete(editor: Editor, id: string): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      await this.rows.delete(editor.userId, id, tx);
      await this.record(tx, editor, 'memory.deleted', `memory:${id}`);
    });
  }

  /** @returns how many there were to be seen */
  deleteAll(editor: Editor): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      const count = await this.rows.deleteAll(tx, editor.userId);
      await this.record(tx, editor, 'memory.all_deleted', `user:${editor.userId}`, { count });
      return count;
    });
  }

  switch(editor: Editor, isEnabled: boolean): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      await this.rows.setEnabled(tx, editor.userId, isEnabled);
      await this.record(tx, editor, 'memory.switched', `user:${editor.userId}`, { enabled: isEnabled });
    });
  }

  private record(
    tx: EntityManager,
    { userId, username }: Editor,
    action: AuditAction,
    target: string,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record({ action, actor: { userId, username }, target, details }, tx);
  }
}
