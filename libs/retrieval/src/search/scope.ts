import { visibleDocumentUids } from '@app/access';

export interface Viewer {
  userId: number;
}

/** Which documents a search looks at: those that the viewer may read, narrowed. */
export interface SearchScope {
  /** Only these. Unknown and foreign ones are passed over. */
  uids?: readonly string[] | undefined;
  /** Only this folder and below; of the viewer's own documents, since folders are not shared. '' is everything. */
  folder?: string | undefined;
  docClass?: string | undefined;
  /** Only documents that came at this time or later. */
  createdFrom?: Date | undefined;
  /** Only documents that came before this time. */
  createdBefore?: Date | undefined;
}

/** Whether the scope leaves out some of what the viewer may read. */
export function isNarrowed({ uids, folder, docClass, createdFrom, createdBefore }: SearchScope): boolean {
  return [uids, folder || undefined, docClass, createdFrom, createdBefore].some((filter) => filter !== undefined);
}

/** The parameters `$1` to `$6` of every statement that begins with `READABLE`. */
export function scopeParameters(viewer: Viewer, scope: SearchScope): unknown[] {
  const { uids, folder, docClass, createdFrom, createdBefore } = scope;
  return [viewer.userId, uids ?? null, folder || null, docClass ?? null, createdFrom ?? null, createdBefore ?? null];
}

/**
 * The generations that answer the viewer's questions within a scope: own and shared documents, none from the trash,
 * none that is only being written. Whatever reads chunks joins this in the same statement, so that a share that was
 * taken back, a trashed document or a swapped generation is never seen.
 */
export const READABLE = `readable AS MATERIALIZED (
  SELECT i.id AS index_id, i.owner_id, i.chunk_count, i.term_count, i.embedding_model
  FROM documents d JOIN document_indexes i ON i.document_uid = d.uid AND i.generation = d.index_generation
  WHERE d.uid IN ${visibleDocumentUids('$1')}
    AND ($2::uuid[] IS NULL OR d.uid = ANY ($2))
    AND ($3::text IS NULL OR (d.owner_id = $1 AND (d.folder = $3 OR starts_with(d.folder, $3 || '/'))))
    AND ($4::text IS NULL OR d.doc_class = $4)
    AND ($5::timestamptz IS NULL OR d.created_at >= $5)
    AND ($6::timestamptz IS NULL OR d.created_at < $6)
)`;
