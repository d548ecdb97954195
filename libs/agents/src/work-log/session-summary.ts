import type { SealingService } from '@app/secrets';
import type { DataSource, EntityManager } from 'typeorm';
import type { KeptAttachment } from '../agent/agent-state.js';
import { citedSources } from '../agent/citations.js';
import type { AgentSource } from '../agent/tool.js';
import { openJson, sealJson } from './sealed-json.js';
import type { TurnWork } from './turn-work.js';

/** The older turns of a conversation in short. */
export interface SessionSummary {
  text: string;
  /** Files that came with them; the newest of many. */
  attachments: KeptAttachment[];
  /** What the numbers in the text mean. */
  sources: AgentSource[];
}

export interface KeptSummary extends SessionSummary {
  throughSeq: number;
  /** Whoever may not read one of them gets nothing of it. */
  uids: string[];
}

const MAX_ATTACHMENTS = 50;
const MAX_SOURCES = 200;
const placeOf = (sessionId: number) => ({
  table: 'chat_session_summaries',
  column: 'summary_sealed',
  row: sessionId,
});

export async function findSummary(
  db: DataSource | EntityManager,
  sealing: SealingService,
  sessionId: number,
): Promise<KeptSummary | null> {
  const [row] = await db.query<{ throughSeq: string; sealed: Buffer; uids: string[] }[]>(
    `SELECT through_seq AS "throughSeq", summary_sealed AS sealed, uids FROM chat_session_summaries WHERE session_id = $1`,
    [sessionId],
  );
  if (!row) return null;
  const summary = (await openJson(sealing, row.sealed, placeOf(sessionId))) as SessionSummary | null;
  return summary && { ...summary, throughSeq: Number(row.throughSeq), uids: row.uids };
}

/** In place of an older one, with what both rest on; a newer one stays. */
export async function keepSummary(
  tx: EntityManager,
  sealing: SealingService,
  sessionId: number,
  { text, turnIds, throughSeq }: { text: string; turnIds: readonly string[]; throughSeq: number },
): Promise<void> {
  const known = await findSummary(tx, sealing, sessionId);
  if (known && known.throughSeq >= throughSeq) return;
  const works = await tx.query<{ id: string; sealed: Buffer | null; uids: string[] }[]>(
    `SELECT w.turn_id AS id, w.work_sealed AS sealed, w.uids FROM chat_turn_work w JOIN chat_turns t ON t.id = w.turn_id
     WHERE w.turn_id = ANY ($1::uuid[]) ORDER BY t.seq`,
    [turnIds],
  );
  const attachments = [...(known?.attachments ?? [])];
  const sources = [...(known?.sources ?? [])];
  for (const { id, sealed } of works) {
    const place = { table: 'chat_turn_work', column: 'work_sealed', row: id };
    const work = sealed && ((await openJson(sealing, sealed, place)) as TurnWork | null);
    attachments.push(...(work?.attachments ?? []));
    sources.push(...(work?.sources ?? []));
  }
  const summary: SessionSummary = {
    text,
    attachments: attachments.slice(-MAX_ATTACHMENTS),
    sources: citedSources(text, sources).slice(-MAX_SOURCES),
  };
  const uids = new Set([...(known?.uids ?? []), ...works.flatMap((work) => work.uids)]);
  // Only what comes from it: a turn that somebody asked for anew in the meantime makes the summary untrue.
  await tx.query(
    `INSERT INTO chat_session_summaries AS s (session_id, through_seq, summary_sealed, uids)
     SELECT $1, $2, $3, $4::uuid[] WHERE NOT EXISTS (
       SELECT 1 FROM chat_turns t WHERE t.id = ANY ($5::uuid[]) AND (t.is_replaced OR t.question ~ '^enc:v1:'))
     ON CONFLICT (session_id) DO UPDATE SET through_seq = excluded.through_seq,
       summary_sealed = excluded.summary_sealed, uids = excluded.uids
     WHERE s.through_seq < excluded.through_seq`,
    [sessionId, throughSeq, await sealJson(sealing, summary, placeOf(sessionId)), [...uids], turnIds],
  );
}

/** Where a turn that it covers is no part of the conversation any more. */
export async function forgetSummaryOf(tx: EntityManager, turnId: string): Promise<void> {
  await tx.query(
    `DELETE FROM chat_session_summaries s USING chat_turns t
     WHERE t.id = $1 AND s.session_id = t.session_id AND s.through_seq >= t.seq`,
    [turnId],
  );
}
