import { ConflictError, toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';
import type { ArtifactSource } from '../queries/source-queries.js';
import { ARTIFACT_LIMITS, type ArtifactDraft } from './artifact-shapes.js';

export interface NewVersion extends Pick<ArtifactDraft, 'title' | 'html' | 'queries' | 'changeNote'> {
  sources: Record<string, ArtifactSource>;
  publishKey: string | null;
}

/** The artifact's row is held by the caller, or of its own transaction. */
export async function insertVersion(
  tx: EntityManager,
  artifactId: string,
  version: number,
  { title, html, queries, sources, changeNote, publishKey }: NewVersion,
): Promise<void> {
  await tx.query(
    `INSERT INTO artifact_versions (artifact_id, version, title, html, queries, sources, change_note, publish_key)
     VALUES ($1, $2, $3, $4, $5::jsonb, $6::jsonb, $7, $8)`,
    [artifactId, version, title, html, toJsonText(queries), toJsonText(sources), changeNote, publishKey],
  );
}

/** The page itself stays in the database. @returns the title of the copy; null when there is no such version */
export async function copyVersion(
  tx: EntityManager,
  from: { artifactId: string; version: number },
  to: { artifactId: string; version: number; title?: string; changeNote: string },
): Promise<string | null> {
  const [row] = await tx.query<{ title: string }[]>(
    `INSERT INTO artifact_versions (artifact_id, version, title, html, queries, sources, change_note)
     SELECT $3, $4, coalesce($5, title), html, queries, sources, $6 FROM artifact_versions
     WHERE artifact_id = $1 AND version = $2 RETURNING title`,
    [from.artifactId, from.version, to.artifactId, to.version, to.title ?? null, to.changeNote],
  );
  return row?.title ?? null;
}

/** SQL: whether a tile keeps the version of the row `v`. Settings are the client's own: whatever is no such number keeps none. */
const IS_PINNED = `EXISTS (SELECT FROM board_tiles t
  WHERE t.artifact_id = v.artifact_id AND t.settings ->> 'version' = v.version::text)`;

/**
 * The version that was added last is the artifact's latest, and the oldest that no tile keeps go, down to as many as are kept.
 * @throws ConflictError `version_limit_reached` where tiles keep so many
 */
export async function makeLatest(
  tx: EntityManager,
  artifactId: string,
  { version, title, kind }: { version: number; title: string; kind?: string },
): Promise<void> {
  await tx.query(
    `UPDATE artifacts SET version = $2, title = $3, kind = coalesce($4, kind), updated_at = now() WHERE id = $1`,
    [artifactId, version, title, kind ?? null],
  );
  await tx.query(
    `WITH gone AS (
       DELETE FROM artifact_versions WHERE artifact_id = $1 AND version IN (
         SELECT v.version FROM artifact_versions v WHERE v.artifact_id = $1 AND v.version <> $2 AND NOT ${IS_PINNED}
         ORDER BY v.version
         LIMIT greatest(0, (SELECT count(*) FROM artifact_versions WHERE artifact_id = $1) - $3))
       RETURNING version)
     DELETE FROM artifact_results WHERE artifact_id = $1 AND version IN (SELECT version FROM gone)`,
    [artifactId, version, ARTIFACT_LIMITS.versions],
  );
  const [{ count }] = await tx.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM artifact_versions WHERE artifact_id = $1',
    [artifactId],
  );
  if (count > ARTIFACT_LIMITS.versions)
    throw new ConflictError(
      `Tiles keep all ${ARTIFACT_LIMITS.versions} versions of this artifact: let one of them show another.`,
      { code: 'version_limit_reached' },
    );
}
