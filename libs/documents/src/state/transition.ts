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
  | 'status'
  | 'lastError'
  | 'pageNumber'
  | 'failedTries'
  | 'enqueueAttemptCount'
  | 'indexGeneration'
  | 'leasedBy'
  | 'queueClass'
  | 'reindexedFor'
>;
type Counter = 'attempt' | 'failedTries' | 'fence' | 'enqueueAttemptCount';
type Timestamp = 'rungAt' | 'queuedAt' | 'processingStartedAt' | 'completedAt' | 'deletedAt' | 'purgeAt';

export interface TransitionOptions {
  /** Only by the holder of this claim. */
  fence?: number;
  set?: Partial<Settable>;
  /** Counters that rise by one. */
  increment?: Counter[];
  /** Set to the database's present. */
  stamp?: Timestamp[];
  /** Set to null. */
  clear?: Timestamp[];
  /** Seconds for which a claim holds without a heartbeat; `claim` only. */
  leaseSeconds?: number;
  /** Seconds for which nobody takes it up again; `try_again` only. */
  delaySeconds?: number;
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

/** SQL. What the platform asks for by itself must not look as if the document could not be asked meanwhile. */
function statusOf(to: DocumentState, param: (value: unknown) => string): string {
  const text = param(STATUS_TEXTS[to]);
  if (to !== 'queued' && to !== 'pending_publish') return text;
  return `CASE WHEN d.queue_class = ${QUEUE_CLASSES.background} THEN ${param(BACKGROUND_STATUS_TEXT)} ELSE ${text} END`;
}

const SERVED = `d.index_generation IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM document_indexes i WHERE i.document_uid = d.uid AND i.generation = d.index_generation
    AND i.content_sha256 <> d.sha256)`;

/**
 * The only writer of `processing_state`: one UPDATE that moves those of the documents which stand where the
 * transition begins. A document that is missing from the answer was moved by somebody else first.
 * Leaving `processing` always ends the lease.
 */
export async function transition(
  tx: EntityManager | DataSource,
  uids: readonly string[],
  name: DocumentTransition,
  options: TransitionOptions = {},
): Promise<DocumentRecord[]> {
  const { from, to } = DOCUMENT_TRANSITIONS[name];
  const values: unknown[] = [uids, from, to];
  const param = (value: unknown) => `$${values.push(value)}`;
  const assignments = [
    'processing_state = $3',
    'updated_at = now()',
    `stage = '${to === 'processing' ? 'reading' : ''}'`,
    `percent = ${to === 'completed' ? 100 : 0}`,
  ];
  if (options.set?.status === undefined) assignments.push(`status = ${statusOf(to, param)}`);
  const set = { ...(to === 'processing' ? {} : { leasedBy: null }), ...options.set };
  for (const [property, value] of Object.entries(set)) assignments.push(`${columnOf(property)} = ${param(value)}`);
  for (const counter of options.increment ?? []) assignments.push(`${columnOf(counter)} = d.${columnOf(counter)} + 1`);
  for (const time of options.stamp ?? []) assignments.push(`${columnOf(time)} = now()`);
  for (const time of options.clear ?? []) assignments.push(`${columnOf(time)} = NULL`);
  assignments.push(
    to === 'processing'
      ? `lease_expires_at = now() + ${param(options.leaseSeconds)} * interval '1 second'`
      : 'lease_expires_at = NULL',
  );
  const { delaySeconds = 0 } = options;
  assignments.push(
    `not_before = ${delaySeconds > 0 ? `now() + ${param(delaySeconds)} * interval '1 second'` : 'NULL'}`,
  );
  const conditions = [
    uids.length > 1 ? `d.uid IN ${lockedInOrder('$1')}` : 'd.uid = ANY($1::uuid[])',
    'd.processing_state = ANY($2::text[])',
    `d.deleted_at IS ${options.inTrash ? 'NOT ' : ''}NULL`,
    ...(options.isServed ? [SERVED] : []),
    ...(options.fence === undefined ? [] : [`d.fence = ${param(options.fence)}`]),
  ];
  const [rows] = await tx.query<[DocumentRecord[], number]>(
    `UPDATE documents d SET ${assignments.join(', ')} WHERE ${conditions.join(' AND ')} RETURNING ${documentColumns('d')}`,
    values,
  );
  return rows;
}
