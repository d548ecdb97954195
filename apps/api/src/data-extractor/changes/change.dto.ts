import type { SkipReason, TableChange, TableChangeEntry, UndoneChange } from '@app/extraction';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  NestedField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import { PageOf, PageQuery } from '../../http/pagination.js';

class ChangeAuthor {
  @IntegerField()
  id: number;

  @StringField()
  username: string;
}

/** One cell that was changed or vouched for, or one row that was deleted or added. */
class ChangeEntry {
  @ChoiceField(['cell', 'row'])
  type: 'cell' | 'row';

  @StringField()
  source_uid: string;

  @UuidField()
  row_id: string;

  @StringField({ nullable: true, description: 'Null: the whole row.' })
  column_name: string | null;

  @AnyField({ nullable: true, description: 'Of a row: its values by name of column; null: it was added.' })
  before: unknown;

  @AnyField({ nullable: true, description: 'Of a row: null: it was deleted.' })
  after: unknown;

  @BooleanField({ optional: true, description: 'The value stayed: somebody vouched for it, or does no longer.' })
  verified?: boolean;
}

export class ChangeResponse {
  @UuidField()
  change_id: string;

  @NestedField(() => ChangeAuthor)
  user: ChangeAuthor;

  @UuidField({ nullable: true, description: 'The turn of the chat that made it.' })
  turn_id: string | null;

  @ListField(() => ChangeEntry)
  changes: ChangeEntry[];

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  undone_at: Date | null;
}

export class ChangePage extends PageOf(ChangeResponse) {}

export class ChangesQuery extends PageQuery {
  @UuidField({ optional: true, description: 'Those of one turn of the chat.' })
  turn_id?: string;
}

function toChangeEntry(entry: TableChangeEntry): ChangeEntry {
  if (entry.type === 'cell') {
    const { type, sourceUid, rowId, column, before, after, verified } = entry;
    const cell = { type, source_uid: sourceUid, row_id: rowId, column_name: column, before, after };
    return verified === undefined ? cell : { ...cell, verified };
  }
  if (entry.type === 'added') {
    const { sourceUid, rowId, data } = entry;
    return { type: 'row', source_uid: sourceUid, row_id: rowId, column_name: null, before: null, after: data };
  }
  const { type, row } = entry;
  return { type, source_uid: row.sourceUid, row_id: row.id, column_name: null, before: row.data, after: null };
}

export function toChangeResponse(change: TableChange): ChangeResponse {
  const { id, user, turnId, entries, createdAt, undoneAt } = change;
  return {
    change_id: id,
    user,
    turn_id: turnId,
    changes: entries.map(toChangeEntry),
    created_at: createdAt,
    undone_at: undoneAt,
  };
}

class SkippedEntry {
  @StringField()
  source_uid: string;

  @UuidField()
  row_id: string;

  @StringField({ nullable: true })
  column_name: string | null;

  @ChoiceField(['changed_since', 'row_gone', 'column_gone', 'row_there'])
  reason: SkipReason;
}

export class UndoneChangeResponse {
  @UuidField()
  change_id: string;

  @UuidField()
  table_id: string;

  @IntegerField({ description: 'How many cells and rows are as they were.' })
  restored: number;

  @ListField(() => SkippedEntry, { description: 'What was left as it is now, and why.' })
  skipped: SkippedEntry[];
}

export function toUndoneChangeResponse(
  tableId: string,
  changeId: string,
  { restored, skipped }: UndoneChange,
): UndoneChangeResponse {
  return {
    change_id: changeId,
    table_id: tableId,
    restored,
    skipped: skipped.map(({ sourceUid, rowId, column, reason }) => {
      return { source_uid: sourceUid, row_id: rowId, column_name: column, reason };
    }),
  };
}
