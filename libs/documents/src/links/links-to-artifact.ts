import type { DataSource, EntityManager } from 'typeorm';

/** Where whoever has a permanent link to an artifact reads it: on the origin of artifacts, which is not the api's. */
export const publicPagePath = (artifactId: string): string => `/artifacts/${artifactId}/public/`;

/** Permanent links that go with the artifact, by their foreign key. */
export async function countLinksToArtifact(db: DataSource | EntityManager, artifactId: string): Promise<number> {
  const [{ count }] = await db.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM permanent_links WHERE artifact_uid = $1',
    [artifactId],
  );
  return count;
}

/** Its links bear its title. */
export async function renameLinksToArtifact(tx: EntityManager, artifactId: string, title: string): Promise<void> {
  await tx.query('UPDATE permanent_links SET name = $2 WHERE artifact_uid = $1', [artifactId, title]);
}
