import type { DataSource } from 'typeorm';

/** Which versions of an artifact boards show to somebody. */
export interface ShownVersions {
  /** Whichever is the latest at the time. */
  latest: boolean;
  /** Newest first. */
  pinned: number[];
}

/** Those of the tiles that the viewer sees at this moment. */
export async function listShownVersions(
  dataSource: DataSource,
  viewerId: number,
  artifactId: string,
): Promise<ShownVersions> {
  const rows = await dataSource.query<{ version: number | null }[]>(
    `SELECT DISTINCT CASE WHEN t.settings->>'version' ~ '^[0-9]{1,9}$' THEN (t.settings->>'version')::int END AS version
     FROM board_tiles t JOIN boards b ON b.id = t.board_id
     WHERE t.artifact_id = $1 AND (b.owner_id = $2 OR EXISTS (
       SELECT FROM board_collaborators c WHERE c.board_id = b.id AND c.user_id = $2))`,
    [artifactId, viewerId],
  );
  const pinned = rows.flatMap(({ version }) => (version === null ? [] : [version]));
  return { latest: pinned.length < rows.length, pinned: pinned.sort((a, b) => b - a) };
}
