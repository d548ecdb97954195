import type { DataSource, EntityManager } from 'typeorm';
import { takesPart } from '../sight/seen-on-boards.js';
import type { ArtifactImpact } from './artifact-parts.js';

/** All tiles that show it; of the boards those that its creator sees. */
export async function countTiles(
  db: DataSource | EntityManager,
  { id, ownerId }: { id: string; ownerId: number },
): Promise<ArtifactImpact['tiles']> {
  const [row] = await db.query<[{ count: number; boards: { id: number; name: string }[] }]>(
    `SELECT (SELECT count(*) FROM board_tiles WHERE artifact_id = $1)::int AS count,
       coalesce((SELECT jsonb_agg(jsonb_build_object('id', b.id, 'name', b.name) ORDER BY b.id) FROM boards b
         WHERE b.id IN (SELECT board_id FROM board_tiles WHERE artifact_id = $1) AND ${takesPart('b', '$2')}), '[]') AS boards`,
    [id, ownerId],
  );
  return row;
}

/** Boards stay, with one revision more, so that whoever arranges their tiles reads them again first. */
export async function removeTiles(tx: EntityManager, artifactId: string): Promise<{ tiles: number; boards: number }> {
  // Boards before tiles, as whoever changes a board takes them.
  await tx.query(
    `SELECT FROM boards WHERE id IN (SELECT board_id FROM board_tiles WHERE artifact_id = $1) ORDER BY id FOR NO KEY UPDATE`,
    [artifactId],
  );
  const [gone, tiles] = await tx.query<[{ boardId: number }[], number]>(
    'DELETE FROM board_tiles WHERE artifact_id = $1 RETURNING board_id AS "boardId"',
    [artifactId],
  );
  const boards = [...new Set(gone.map(({ boardId }) => boardId))];
  if (boards.length > 0)
    await tx.query('UPDATE boards SET revision = revision + 1, updated_at = now() WHERE id = ANY($1::int[])', [boards]);
  return { tiles, boards: boards.length };
}
