import type { DataSource } from 'typeorm';
import { QUEUE_CLASSES, type QueueClass } from '../state/document.states.js';

const { interactive, bulk } = QUEUE_CLASSES;

/** Of so many claims one takes bulk work first, so that people who never pause do not keep it from being done. */
export const BULK_SHARE = 8;

const WAITING = `d.processing_state = 'queued' AND d.deleted_at IS NULL`;
const IN_WORK = `in_work AS (SELECT owner_id, count(*) AS documents FROM documents
  WHERE processing_state = 'processing' AND deleted_at IS NULL GROUP BY owner_id)`;
const LAST_STARTED = `(SELECT max(s.processing_started_at) FROM documents s
  WHERE s.owner_id = w.owner_id AND s.processing_started_at IS NOT NULL)`;

/**
 * SQL: the document whose turn it is among the classes `$1`. Of the first class that has any: that of the owner for whom
 * the fewest are in work, of several the one who was served longest ago; of theirs the one that waits longest. Owners
 * are walked in the index from one to the next, however many documents each has.
 */
const NEXT = `WITH RECURSIVE lane AS (
    (SELECT d.queue_class, d.owner_id FROM documents d WHERE ${WAITING} ORDER BY d.queue_class, d.owner_id LIMIT 1)
    UNION ALL
    SELECT n.queue_class, n.owner_id FROM lane l CROSS JOIN LATERAL (
      SELECT d.queue_class, d.owner_id FROM documents d
      WHERE ${WAITING} AND (d.queue_class, d.owner_id) > (l.queue_class, l.owner_id)
      ORDER BY d.queue_class, d.owner_id LIMIT 1) n
  ), ${IN_WORK}
  SELECT first.uid FROM lane w CROSS JOIN LATERAL (
    SELECT d.uid, d.queued_at FROM documents d
    WHERE ${WAITING} AND d.queue_class = w.queue_class AND d.owner_id = w.owner_id
      AND (d.not_before IS NULL OR d.not_before <= now()) AND d.uid <> ALL ($2::uuid[])
    ORDER BY d.queued_at, d.uid LIMIT 1) first
  LEFT JOIN in_work ON in_work.owner_id = w.owner_id
  WHERE w.queue_class = ANY ($1::int[])
  ORDER BY array_position($1::int[], w.queue_class::int), coalesce(in_work.documents, 0), ${LAST_STARTED} NULLS FIRST,
    first.queued_at, first.uid LIMIT 1`;

/** `next` of `indexingWork`. */
export async function findNextDocument(
  db: DataSource,
  except: readonly (readonly string[])[],
  classes: readonly string[],
): Promise<string[] | null> {
  const order = classes.map((name) => QUEUE_CLASSES[name as QueueClass]);
  const [row] = await db.query<{ uid: string }[]>(NEXT, [order, except.flat()]);
  return row ? [row.uid] : null;
}

/**
 * SQL: `queue (uid, position)` of all documents that wait, 1 is next: the order in which `findNextDocument` gives them if nothing
 * is added. Owners take turns in each class, and bulk work has its share.
 */
export const QUEUE = `${IN_WORK}, waiting AS (
    SELECT w.uid, w.queue_class, w.queued_at, ${LAST_STARTED} AS last_started, coalesce(in_work.documents, 0)
      + row_number() OVER (PARTITION BY w.queue_class, w.owner_id ORDER BY w.queued_at, w.uid) AS round
    FROM documents w LEFT JOIN in_work ON in_work.owner_id = w.owner_id
    WHERE w.processing_state = 'queued' AND w.deleted_at IS NULL
  ), ranked AS (
    SELECT uid, queue_class, row_number()
      OVER (PARTITION BY queue_class ORDER BY round, last_started NULLS FIRST, queued_at, uid) AS rank FROM waiting
  ), sizes AS (
    SELECT count(*) FILTER (WHERE queue_class = ${interactive}) AS interactive,
      count(*) FILTER (WHERE queue_class = ${bulk}) AS bulk FROM waiting
  ), queue AS (
    SELECT uid, (rank + CASE queue_class
      WHEN ${interactive} THEN least(bulk, (rank - 1) / ${BULK_SHARE - 1})
      WHEN ${bulk} THEN least(interactive, rank * ${BULK_SHARE - 1})
      ELSE interactive + bulk END)::int AS position
    FROM ranked CROSS JOIN sizes)`;
