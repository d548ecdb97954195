import type { RowMode, TableColumn } from '../kit.js';

export type TableRole = 'owner' | 'editor' | 'viewer';
export const GRANT_ROLES = ['viewer', 'editor'] as const;
export type GrantRole = (typeof GRANT_ROLES)[number];

/** The newest extraction of a table. */
export interface TableExtraction {
  id: string;
  state: string;
  total: number;
  completed: number;
  failed: number;
}

export interface TableRecord {
  id: string;
  name: string;
  ownerId: number;
  /** Of the owner. */
  email: string;
  /** Of the owner; '' for none. */
  organizationName: string;
  columns: TableColumn[];
  metadata: Record<string, unknown>;
  workflowId: string | null;
  rowsCount: number;
  extraction: TableExtraction | null;
  createdAt: Date;
  updatedAt: Date;
  /** Of the viewer. */
  role: TableRole;
}

export interface RowRecord {
  id: string;
  sourceUid: string;
  position: number;
  documentUid: string | null;
  data: Record<string, unknown>;
  filename: string;
  createdAt: Date;
  updatedAt: Date;
  processedAt: Date | null;
}

/** SQL: what is told of the row `t` of `TABLE_SOURCES`. */
export const TABLE_COLUMNS = `t.id, t.name, t.owner_id AS "ownerId", u.email, coalesce(o.name, '') AS "organizationName",
  t.columns, t.metadata, t.workflow_id AS "workflowId", t.rows_count AS "rowsCount",
  (SELECT jsonb_build_object('id', e.id, 'state', e.state, 'total', e.total, 'completed', e.completed, 'failed', e.failed)
   FROM extractions e WHERE e.table_id = t.id ORDER BY e.id DESC LIMIT 1) AS extraction,
  t.created_at AS "createdAt", t.updated_at AS "updatedAt"`;

export const TABLE_SOURCES =
  'extracted_tables t JOIN users u ON u.id = t.owner_id LEFT JOIN organizations o ON o.id = u.organization_id';

export const ROW_COLUMNS = `r.id, r.source_uid AS "sourceUid", r.position, r.document_uid AS "documentUid", r.data, r.filename,
  r.created_at AS "createdAt", r.updated_at AS "updatedAt", r.processed_at AS "processedAt"`;

/** SQL: the role on the row of `extracted_tables` under `alias` of the user whose id is the expression `viewer`; null is nobody. */
export function tableRole(alias: string, viewer: string): string {
  return (
    `(CASE WHEN ${alias}.owner_id = ${viewer} THEN 'owner' ` +
    `ELSE (SELECT g.role FROM extracted_table_grants g WHERE g.table_id = ${alias}.id AND g.user_id = ${viewer}) END)`
  );
}

/** SQL: the ids of all tables that the user whose id is `viewer` sees, as a subquery: each half from its own index. */
export function visibleTableIds(viewer: string): string {
  return (
    `(SELECT own.id FROM extracted_tables own WHERE own.owner_id = ${viewer} ` +
    `UNION SELECT theirs.table_id FROM extracted_table_grants theirs WHERE theirs.user_id = ${viewer})`
  );
}

/** How documents become rows: `metadata.row_mode`. */
export function rowModeOf({ metadata }: Pick<TableRecord, 'metadata'>): RowMode {
  return Object.hasOwn(metadata, 'row_mode') && metadata.row_mode === 'items' ? 'items' : 'document';
}
