import { currentOrigin } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import { columnOf, documentColumns, type DocumentRecord } from './document-columns.js';
import {
  BACKGROUND_STATUS_TEXT,
  DOCUMENT_TRANSITIONS,
  QUEUE_CLASSES,
  STATUS_TEXTS,
  type DocumentState,
  type DocumentTransition,
} from './document.states.js';

type Settable = Pick<
  DocumentRecord,
  'status' | 'lastError' | 'failedTries' | 'enqueueAttemptCount' | 'queueClass' | 'reindexedFor'
>;
type Counter = 'attempt' | 'fence' | 'enqueueAttemptCount';
type Timestamp = 'rungAt' | 'queuedAt' | 'processingStartedAt' | 'completedAt' | 'deletedAt' | 'purgeAt';

export interface TransitionOptions {
  set?: Partial<Settable>;
  /** Counters that rise by one. */
  increment?: Counter[];
  /** Set to the database's present. */
  stamp?: Timestamp[];
  /** Set to null. */
  clear?: Timestamp[];
  /** Only those whose index, made of the bytes that they have, answers questions. */
  isServed?: boolean;
  /** Whether documents in the trash are meant, instead of the others. */
  inTrash?: boolean;
}

/**
 * SQL: the rows of the parameter `uids`, locked in the order of their uids, so that nobody who takes several waits for
 * somebody who waits for them.
 */
export function lockedInOrder(uids: string): string {
  return `(SELECT uid FROM documents WHERE uid = ANY(${uids}::uuid[]) ORDER BY uid FOR NO KEY UPDATE)`;
}

const literal = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`;

/** SQL. What the platform asks for by itself must not look as if the document could not be asked meanwhile. */
function statusOf(to: DocumentState, row: string, param: (value: unknown) => string): string {
  const text = param(STATUS_TEXTS[to]);
  if (to !== 'queued' && to !== 'pending_publish') return text;
  return `CASE WHEN ${row}.queue_class = ${QUEUE_CLASSES.background} THEN ${param(BACKGROUND_STATUS_TEXT)} ELSE ${text} END`;
}

/** SQL: what a document, the row `w` unless told, shows from the transition on. @param status in place of the usual text */
export function shows(
  name: DocumentTransition,
  { row = 'w', param = literal, status }: { row?: string; param?: (value: unknown) => string; status?: string } = {},
): string {
  const { to } = DOCUMENT_TRANSITIONS[name];
  return [
    `processing_state = ${param(to)}, updated_at = now()`,
    `stage = '${to === 'processing' ? 'reading' : ''}', percent = ${to === 'completed' ? 100 : 0}`,
    `status = ${status === undefined ? statusOf(to, row, param) : param(status)}`,
  ].join(', ');
}

const SERVED = `d.index_generation IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM document_indexes i WHERE i.document_uid = d.uid AND i.generation = d.index_generation
    AND i.content_sha256 <> d.sha256)`;

/**
 * One UPDATE that moves those of the documents which stand where the transition begins. A document that is missing from
 * the answer was moved by somebody else first. Nobody is at it from then on: claims, and what their holders write, are
 * those of `indexingWork`. Both alone write `processing_state`, as `shows` has it.
 */
export async function transition(
  tx: EntityManager | DataSource,
  uids: readonly string[],
  name: DocumentTransition,
  options: TransitionOptions = {},
): Promise<DocumentRecord[]> {
  const values: unknown[] = [uids, DOCUMENT_TRANSITIONS[name].from];
  const param = (value: unknown) => `$${values.push(value)}`;
  const { status, ...set } = options.set ?? {};
  const assignments = [
    shows(name, { row: 'd', param, ...(status !== undefined && { status }) }),
    'leased_by = NULL, lease_expires_at = NULL, not_before = NULL',
  ];
  if (name === 'reindex' || name === 'restore') assignments.push(`correlation_id = ${param(currentOrigin())}`);
  for (const [property, value] of Object.entries(set)) assignments.push(`${columnOf(property)} = ${param(value)}`);
  for (const counter of options.increment ?? []) assignments.push(`${columnOf(counter)} = d.${columnOf(counter)} + 1`);
  for (const time of options.stamp ?? []) assignments.push(`${columnOf(time)} = now()`);
  for (const time of options.clear ?? []) assignments.push(`${columnOf(time)} = NULL`);
  const conditions = [
    uids.length > 1 ? `d.uid IN ${lockedInOrder('$1')}` : 'd.uid = ANY($1::uuid[])',
    'd.processing_state = ANY($2::text[])',
    `d.deleted_at IS ${options.inTrash ? 'NOT ' : ''}NULL`,
    ...(options.isServed ? [SERVED] : []),
  ];
  const [rows] = await tx.query<[DocumentRecord[], number]>(
    `UPDATE documents d SET ${assignments.join(', ')} WHERE ${conditions.join(' AND ')} RETURNING ${documentColumns('d')}`,
    values,
  );
  return rows;
}
