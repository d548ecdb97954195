import type { DataSource, EntityManager } from 'typeorm';

/**
 * What goes with a workflow, as `delete-impact` shows it (docs/contract/workflows.md#trash), in wire names; null:
 * could not be counted.
 */
export interface DeletionImpact {
  artifacts: { count: number | null; bytes: number | null; sample: string[] };
  charts: { count: number | null; sample: string[] };
  dashboards: { emptied: number | null };
  chat_sessions: { count: number | null; sample: string[] };
  run_history: { versions: number | null };
  dashboard_documents: { count: number | null };
  spec_revisions: number | null;
  /** Their names. */
  schedules: string[] | null;
  queued_webhook_runs: number | null;
  node_runs: number | null;
  extractor_tables_deleted: object[] | null;
  /** What else a domain has to tell. */
  [addition: string]: unknown;
}

export interface DeletedPart {
  /** How many of what, by the names that `permanent-delete` answers with. */
  counts: Record<string, number>;
  /** Keys of the file storage that nothing owns any more. */
  storageKeys?: string[];
}

/**
 * What one domain keeps for workflows. Delete-impact, trash, permanent delete, the purge of the trash and the erasure of
 * accounts all walk the same list of them (`WorkflowParts`).
 */
export interface WorkflowPart {
  /** Unique, for messages. */
  readonly name: string;
  /** Tables with a foreign key to `workflows` or `workflow_runs`; a test compares all of them with the schema. */
  readonly tables: readonly string[];
  /** Lower goes first, 50 unless told: what others point to comes after them. */
  readonly order?: number;
  /** Its fields of the impact report. What it throws becomes null there. */
  countFor?(workflowId: string, db: DataSource | EntityManager): Promise<Partial<DeletionImpact>>;
  /** In the transaction that removes the workflow, which nothing runs in any more. Bound the rows of each statement. */
  deleteFor(workflowId: string, tx: EntityManager): Promise<DeletedPart>;
  /** In the transaction that moves it to the trash. @returns fields of `side_effects`, in wire names. */
  trash?(workflowId: string, tx: EntityManager): Promise<Record<string, unknown>>;
  /** In the transaction that takes it out of the trash. */
  restore?(workflowId: string, tx: EntityManager): Promise<void>;
}
