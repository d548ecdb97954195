import type { ArtifactSource } from '../queries/source-queries.js';
import type { ArtifactKind, ArtifactRecord } from './artifact-shapes.js';

/** A row of `RECORD_SOURCES`, as `RECORD_COLUMNS` reads it. */
export interface ArtifactRow {
  id: string;
  ownerId: number;
  title: string;
  kind: ArtifactKind;
  version: number;
  refreshes: number;
  sources: Record<string, ArtifactSource>;
  changeNote: string;
  username: string;
  organizationName: string;
  createdAt: Date;
  updatedAt: Date;
}

/** SQL: what is told of an artifact, of `RECORD_SOURCES`. */
export const RECORD_COLUMNS = `a.id, a.owner_id AS "ownerId", a.title, a.kind, a.version, a.refreshes, v.sources,
  v.change_note AS "changeNote", u.username, coalesce(o.name, '') AS "organizationName",
  a.created_at AS "createdAt", a.updated_at AS "updatedAt"`;

/** With its latest version `v` and its creator `u`. */
export const RECORD_SOURCES = `artifacts a JOIN artifact_versions v ON v.artifact_id = a.id AND v.version = a.version
  JOIN users u ON u.id = a.owner_id LEFT JOIN organizations o ON o.id = u.organization_id`;

export function toArtifactRecord({ username, organizationName, ...row }: ArtifactRow): ArtifactRecord {
  return { ...row, createdBy: { userId: row.ownerId, username, organizationName } };
}
