import { newId } from '@app/common';
import { ChunkIndex } from '@app/retrieval';

const DOCUMENTS_PER_TRANSACTION = 20;

async function postings(dataSource) {
  return dataSource.query(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE indexdef LIKE '%USING gin (terms)%'`,
  );
}

/**
 * Fills the index through `ChunkIndex`, as the indexer does, but several documents in a transaction, without foreign
 * keys, and with the word index built at the end.
 * @param {import('typeorm').DataSource} dataSource
 * @param {AsyncIterable<{ ownerId: number, texts: string[], vectors: Float32Array[] }>} documents
 * @param {string} modelId of the encoder whose vectors these are
 */
export async function bulkLoad(dataSource, documents, modelId) {
  const index = new ChunkIndex();
  const indexes = await postings(dataSource);
  for (const { name } of indexes) await dataSource.query(`DROP INDEX ${name}`);
  let waiting = [];
  const flush = () =>
    dataSource.transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      for (const document of waiting) await write(tx, index, document, modelId);
      waiting = [];
    });
  for await (const document of documents) {
    waiting.push(document);
    if (waiting.length === DOCUMENTS_PER_TRANSACTION) await flush();
  }
  await flush();
  await dataSource.transaction(async (tx) => {
    await tx.query(`SET LOCAL maintenance_work_mem = '1GB'`);
    for (const { definition } of indexes) await tx.query(definition);
  });
  // What a database does in the background after so much writing would otherwise be measured too.
  await dataSource.query('VACUUM ANALYZE');
  await dataSource.query('CHECKPOINT');
}

async function write(tx, index, { uid = newId(), ownerId, folder = '', texts, vectors }, modelId) {
  await tx.query(
    `INSERT INTO documents (uid, owner_id, folder, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state, index_generation)
     VALUES ($1, $2, $3, $4, $5, 'text', 'text/plain', 1, '', '', 'completed', 1)`,
    [uid, ownerId, folder, `${uid.slice(-8)}.txt`, `/media/documents/${uid}/${uid.slice(-8)}.txt`],
  );
  const chunks = texts.map((text, ordinal) => ({
    ordinal,
    page: ordinal + 1,
    start: 0,
    end: text.length,
    text,
    context: '',
    spans: [],
  }));
  const target = { documentUid: uid, ownerId, generation: 1 };
  await index.replace(tx, target, chunks, vectors && { modelId, vectors });
}
