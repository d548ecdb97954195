import { cutText, languageOf } from '@app/common';
import type { TableChangeEntry, TurnChange } from '@app/extraction';

const LISTED = 50;
const TOLD = 200;
const SHOWN_VALUE = 80;

const ENGLISH = {
  changed: (count: number) => `**Changed in the table: ${count}**`,
  undo: (id: string) => `All of it can be undone by the change \`${id}\`.`,
  added: 'added',
  deleted: 'deleted',
  verified: 'verified',
  unverified: 'no longer verified',
  row: 'row',
  empty: 'empty',
  more: (count: number) => `and ${count} more`,
};
const ARABIC: typeof ENGLISH = {
  changed: (count) => `**ما تغير في الجدول: ${count}**`,
  undo: (id) => `يمكن التراجع عن كل ذلك بالتغيير \`${id}\`.`,
  added: 'أضيف',
  deleted: 'حذف',
  verified: 'تم التحقق',
  unverified: 'ألغي التحقق',
  row: 'صف',
  empty: 'فارغ',
  more: (count) => `و${count} أخرى`,
};

/**
 * What a turn has changed, as its answer ends with it: from what was recorded, whatever the model says of it. Values were
 * written by others, and stand as code, which shows no pictures and leads nowhere.
 */
export function changeList({ id, entries, filenames }: TurnChange, question: string): string {
  const texts = languageOf(question) === 'ar' ? ARABIC : ENGLISH;
  const lines = entries.slice(0, LISTED).map((entry) => `- ${lineOf(entry, filenames, texts)}`);
  const left = entries.length - lines.length;
  return [
    '\n\n---',
    '',
    texts.changed(entries.length),
    '',
    ...lines,
    ...(left > 0 ? [`- ${texts.more(left)}`] : []),
    '',
    texts.undo(id),
  ].join('\n');
}

/** The same for programs, in wire names (docs/contract/table-chat.md#changes). */
export function changeExtra(tableId: string, { id, entries }: TurnChange): Record<string, unknown> {
  return {
    table_id: tableId,
    change_id: id,
    count: entries.length,
    undo: `/microservices/data-extractor/table/${tableId}/changes/${id}/undo`,
    edits: entries.slice(0, TOLD).map(toEdit),
  };
}

function toEdit(entry: TableChangeEntry): Record<string, unknown> {
  if (entry.type === 'row') return { type: 'row_deleted', row_id: entry.row.id, source_uid: entry.row.sourceUid };
  const { rowId, sourceUid } = entry;
  const of = { row_id: rowId, source_uid: sourceUid };
  if (entry.type === 'added') return { type: 'row_added', ...of };
  const { column, before, after, verified } = entry;
  if (verified !== undefined) return { type: verified ? 'verified' : 'unverified', ...of, column_name: column };
  return { type: 'cell', ...of, column_name: column, before: cut(before), after: cut(after) };
}

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > 1_000 ? `${cutText(text, 1_000)}…` : (value ?? null);
}

function lineOf(entry: TableChangeEntry, filenames: ReadonlyMap<string, string>, texts: typeof ENGLISH): string {
  if (entry.type === 'row') return `${texts.row} ${named(entry.row.filename, entry.row.sourceUid)}: ${texts.deleted}`;
  const row = `${texts.row} ${named(filenames.get(entry.rowId) ?? '', entry.sourceUid)}`;
  if (entry.type === 'added') return `${row}: ${texts.added}`;
  const { column, before, after, verified } = entry;
  if (verified !== undefined) return `${row}, ${code(column)}: ${verified ? texts.verified : texts.unverified}`;
  return `${row}, ${code(column)}: ${valueText(before, texts)} → ${valueText(after, texts)}`;
}

const named = (filename: string, sourceUid: string) => code(filename === '' ? sourceUid : filename);

function valueText(value: unknown, texts: typeof ENGLISH): string {
  if (value === null || value === undefined || value === '') return `(${texts.empty})`;
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function code(text: string): string {
  const line = text.replaceAll(/[\p{C}\s`]+/gu, ' ').trim();
  return `\`${line.length > SHOWN_VALUE ? `${cutText(line, SHOWN_VALUE)}…` : line || ' '}\``;
}
