import type { DataSource, EntityManager } from 'typeorm';

/** Permanent links that go with the artifact, by their foreign key. */
export async function countLinksToArtifact(db: DataSource | EntityManager, artifactId: string): Promise<number> {
  const [{ count }] = await db.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM permanent_links WHERE artifact_uid = $1',
    [artifactId],
  );
  return count;
}
