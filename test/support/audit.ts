import type { DataSource } from 'typeorm';

/** An entry of the audit log as it was written, whether it has entered the hash chain by now or not. */
export interface AuditedEntry {
  action: string;
  subjectId: number | null;
  /** Taken out by an erasure. */
  personal: { actor: string | null; target: string; details: Record<string, unknown> } | null;
}

/**
 * What the audit log says, the oldest first: of one thing (`workflow:…`), of one account, or all of it. One statement, since
 * the chain takes an entry out of the inbox a moment after it was written.
 */
export function audited(
  dataSource: DataSource,
  { target, subjectId }: { target?: string; subjectId?: number } = {},
): Promise<AuditedEntry[]> {
  return dataSource.query<AuditedEntry[]>(
    `SELECT action, "subjectId", personal FROM (
       SELECT id, event->>'action' AS action, (event->>'subjectId')::int AS "subjectId", event->'personal' AS personal
       FROM audit_inbox
       UNION ALL SELECT id, action, subject_id, personal FROM audit_events) e
     WHERE ($1::text IS NULL OR personal->>'target' = $1) AND ($2::int IS NULL OR "subjectId" = $2) ORDER BY id`,
    [target ?? null, subjectId ?? null],
  );
}

/** The actions of such entries, the oldest first. */
export async function auditedActions(...of: Parameters<typeof audited>): Promise<string[]> {
  return (await audited(...of)).map(({ action }) => action);
}
