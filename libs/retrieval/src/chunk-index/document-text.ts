import type { DataSource } from 'typeorm';

interface StoredPassage {
  page: number;
  start: number;
  end: number;
  text: string;
}

/**
 * The text of a document as it is indexed now, pages parted by blank lines; null while nothing is indexed or it lies in
 * the trash. For code that has decided access already, and for workers.
 */
export async function findDocumentText(dataSource: DataSource, uid: string): Promise<string | null> {
  const passages = await findPassages(dataSource, uid);
  return passages.length === 0 ? null : joinPassages(passages);
}

/**
 * As `findDocumentText`, page by page; pages without text are missing. Formats without pages have one, number 1.
 * @param range the first `count` pages with text from page `from` on; all unless told
 */
export async function findDocumentPages(
  dataSource: DataSource,
  uid: string,
  range?: { from: number; count: number },
): Promise<{ page: number; text: string }[] | null> {
  const passages = await findPassages(dataSource, uid, range);
  if (passages.length === 0) return null;
  const byPage = new Map<number, StoredPassage[]>();
  for (const passage of passages) byPage.set(passage.page, [...(byPage.get(passage.page) ?? []), passage]);
  return [...byPage].map(([page, own]) => ({ page, text: joinPassages(own) })).sort((a, b) => a.page - b.page);
}

function findPassages(
  dataSource: DataSource,
  uid: string,
  range?: { from: number; count: number },
): Promise<StoredPassage[]> {
  const passages = `FROM documents d
     JOIN document_indexes i ON i.document_uid = d.uid AND i.generation = d.index_generation
     JOIN chunks c ON c.index_id = i.id JOIN chunk_contents t ON t.chunk_id = c.id
     WHERE d.uid = $1 AND d.deleted_at IS NULL`;
  const inRange =
    range && `AND t.page IN (SELECT DISTINCT t.page ${passages} AND t.page >= $2 ORDER BY t.page LIMIT $3)`;
  return dataSource.query<StoredPassage[]>(
    `SELECT t.page, t.start_offset AS start, t.end_offset AS "end", t.text ${passages} ${inRange ?? ''} ORDER BY c.ordinal`,
    range ? [uid, range.from, range.count] : [uid],
  );
}

/** Passages overlap: of each only what the one before it did not have. */
export function joinPassages(passages: readonly StoredPassage[]): string {
  let text = '';
  let last: StoredPassage | null = null;
  for (const passage of passages) {
    const samePage = last?.page === passage.page;
    const known = samePage ? Math.max(0, last!.end - passage.start) : 0;
    const gap = samePage ? (passage.start > last!.end ? '\n' : '') : last ? '\n\n' : '';
    text += gap + passage.text.slice(known);
    last = passage;
  }
  return text;
}
