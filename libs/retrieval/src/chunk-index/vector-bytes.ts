import type { DataSource } from 'typeorm';

/** Bytes that the vectors of the documents of these accounts take. Those of one encoder are of one length: one of them is measured. */
export async function measureVectors(dataSource: DataSource, owners: number | readonly number[]): Promise<number> {
  const [{ bytes }] = await dataSource.query<[{ bytes: string }]>(
    `SELECT coalesce(sum(made.chunks * (
       SELECT octet_length(v.vector) FROM chunk_sign_bits b JOIN chunk_vectors v ON v.chunk_id = b.chunk_id
       WHERE b.index_id = made.sample LIMIT 1)), 0) AS bytes
     FROM (SELECT sum(chunk_count) AS chunks, (array_agg(id ORDER BY chunk_count DESC))[1] AS sample
           FROM document_indexes WHERE owner_id = ANY ($1::int[]) AND embedding_model IS NOT NULL
           GROUP BY embedding_model) made`,
    [[owners].flat()],
  );
  return Number(bytes);
}
