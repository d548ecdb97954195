import { nameKey, newId } from '@app/common';
import { ChunkIndex, chunkPages, type ChunkVectors, type PageText } from '@app/retrieval';
import type { DataSource } from 'typeorm';

type IndexedPage = string | Pick<PageText, 'text' | 'lines'>;

export interface IndexedDocument {
  ownerId: number;
  /** Text per page, with its lines where they matter. */
  pages: IndexedPage[];
  filename?: string;
  folder?: string;
  docClass?: string;
  /** Null: nothing is indexed yet. */
  generation?: number | null;
}

/** A document with its chunks, as the indexer leaves it. */
export async function addIndexedDocument(dataSource: DataSource, document: IndexedDocument): Promise<string> {
  const { ownerId, pages, filename = 'note.txt', folder = '', docClass = '', generation = 1 } = document;
  const uid = newId();
  await dataSource.query(
    `INSERT INTO documents (uid, owner_id, filename, folder, doc_class, path, kind, mime_type, size_bytes, sha256,
       storage_key, processing_state, index_generation, name_key)
     VALUES ($1, $2, $3, $4, $5, $8, 'text', 'text/plain', 1, '', '', $6, $7, $9)`,
    [
      uid,
      ownerId,
      filename,
      folder,
      docClass,
      generation === null ? 'queued' : 'completed',
      generation,
      `/media/documents/${uid}/${filename}`,
      nameKey(filename),
    ],
  );
  if (generation !== null) await writeGeneration(dataSource, uid, ownerId, generation, pages, undefined, filename);
  return uid;
}

/** Chunks of one generation; whether they are served is `documents.index_generation`. */
export async function writeGeneration(
  dataSource: DataSource,
  uid: string,
  ownerId: number,
  generation: number,
  pages: readonly IndexedPage[],
  encode?: (texts: string[]) => Promise<ChunkVectors>,
  filename = '',
): Promise<void> {
  const chunks = await chunkPages(
    pages.map((page, at) => ({ number: at + 1, ...(typeof page === 'string' ? { text: page } : page) })),
    { filename },
  );
  const vectors = await encode?.(chunks.map(({ text }) => text));
  await dataSource.transaction((tx) =>
    new ChunkIndex().replace(tx, { documentUid: uid, ownerId, generation }, chunks, vectors),
  );
}
