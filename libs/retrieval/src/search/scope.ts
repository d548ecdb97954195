import { ownDocuments, sharedDocuments, visibleDocument } from '@app/access';

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
  /** Only the viewer's own documents that have all of these tags, whatever their case: tags are the owner's, and shown to nobody else. */
  tags?: readonly string[] | undefined;
}

/** Whether the scope leaves out some of what the viewer may read. */
export function isNarrowed({ folder, tags, ...others }: SearchScope): boolean {
  const { uids, docClass, createdFrom, createdBefore } = others;
  const filters = [uids, folder || undefined, docClass, createdFrom, createdBefore, tags?.length ? tags : undefined];
  return filters.some((filter) => filter !== undefined);
}

/** The parameters `$1` to `$6` of every statement that begins with `READABLE`. */
export function scopeParameters(viewer: Viewer, scope: SearchScope): unknown[] {
  const { uids, folder, docClass, createdFrom, createdBefore, tags } = scope;
  const [from, before] = [createdFrom?.toISOString() ?? '', createdBefore?.toISOString() ?? ''];
  // A range that ends before it begins is an error to Postgres, and empty to whoever asks.
  const created = from && before && from > before ? 'empty' : `[${from},${before})`;
  return [
    viewer.userId,
    uids ?? null,
    folder || null,
    docClass ?? null,
    from || before ? created : null,
    tags?.length ? tags.map((tag) => tag.toLowerCase()) : null,
  ];
}

const NARROWED = `($2::uuid[] IS NULL OR d.uid = ANY ($2))
    AND ($3::text IS NULL OR (d.owner_id = $1 AND (d.folder = $3 OR starts_with(d.folder, $3 || '/'))))
    AND ($4::text IS NULL OR d.doc_class = $4)
    AND ($5::tstzrange IS NULL OR d.created_at <@ $5)
    AND ($6::text[] IS NULL OR (d.owner_id = $1 AND ARRAY(SELECT lower(tag) FROM unnest(d.tags) AS tag) @> $6))`;

/** The owner is the same anyway: named, so that it is found in an index beside other owners' generations. */
const GENERATION =
  'document_indexes i ON i.document_uid = d.uid AND i.generation = d.index_generation AND i.owner_id = d.owner_id';

/**
 * SQL: a row for each generation (`i`, of the document `d`) that answers the viewer's questions within a scope: own
 * and shared documents, none from the trash, none that is only being written. Whatever reads chunks goes through this,
 * or through `joinReadable`, in the same statement, so that a share that was taken back, a trashed document or a
 * swapped generation is never seen.
 * @param join goes on from there, such as `JOIN chunks c ON c.index_id = i.id`
 */
export function eachReadable(columns: string, join = ''): string {
  return `${eachOwn(columns, join)} UNION ALL ${eachShared(columns, join)}`;
}

function eachOwn(columns: string, join: string): string {
  return `SELECT ${columns} FROM ${ownDocuments('$1', `JOIN ${GENERATION} ${join}`)} AND ${NARROWED}`;
}

/** Of these, what others share with the viewer. */
export function eachShared(columns: string, join = ''): string {
  return `SELECT ${columns} FROM ${sharedDocuments('$1', `JOIN ${GENERATION} ${join}`)} AND ${NARROWED}`;
}

/** All of them, read once per statement. */
export const READABLE = `readable AS MATERIALIZED (
  ${eachReadable('i.id AS index_id, i.owner_id, i.chunk_count, i.term_count, i.embedding_model, i.languages')}
)`;

/**
 * The same condition for some rows that were found otherwise: an inner join that keeps those of them whose generation
 * (`indexId`) is readable, and names its row `i` and its document `d`. Cheaper where a scope has more documents than
 * there are rows to look at.
 */
export function joinReadable(indexId: string): string {
  return `JOIN document_indexes i ON i.id = ${indexId}
    JOIN documents d ON d.uid = i.document_uid AND d.index_generation = i.generation
      AND ${visibleDocument('d', '$1')} AND ${NARROWED}`;
}
