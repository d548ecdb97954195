import type { DataSource } from 'typeorm';
import { showsThingsOf, takesPart } from '../sight/seen-on-boards.js';

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
    `SELECT DISTINCT CASE WHEN tile.settings->>'version' ~ '^[0-9]{1,9}$' THEN (tile.settings->>'version')::int END AS version
     FROM board_tiles tile JOIN boards board ON board.id = tile.board_id JOIN artifacts a ON a.id = tile.artifact_id
     WHERE tile.artifact_id = $1 AND ${takesPart('board', '$2')} AND ${showsThingsOf('board', 'a.owner_id')}`,
    [artifactId, viewerId],
  );
  const pinned = rows.flatMap(({ version }) => (version === null ? [] : [version]));
  return { latest: pinned.length < rows.length, pinned: pinned.sort((a, b) => b - a) };
}
