import { newId } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/**
 * What others’ tables hold of documents, which goes with them when the account is erased that owned them: their words, names
 * and uids. Values stay; they are of whoever has the table. Shaped like a `DocumentTrace`, of which this lib knows nothing.
 */
@Injectable()
export class DocumentsInTables {
  async forgetDocuments(uids: readonly string[], _receivers: readonly number[], tx: EntityManager): Promise<void> {
    await tx.query(
      `UPDATE extracted_cells SET quote = '', spans = '[]', place = NULL, anchor = 'none', score = 0,
         status = CASE status WHEN 'anchored' THEN 'unanchored' ELSE status END
       WHERE row_id IN (SELECT id FROM extracted_rows WHERE document_uid = ANY($1::uuid[]))`,
      [uids],
    );
    // What they keep of cells holds their quotes, too.
    await tx.query(
      `DELETE FROM extracted_table_changes WHERE table_id IN (
         SELECT table_id FROM extracted_rows WHERE document_uid = ANY($1::uuid[]))`,
      [uids],
    );
    await tx.query(
      `DELETE FROM extraction_events WHERE extraction_id IN (
         SELECT extraction_id FROM extraction_items WHERE document_uid = ANY($1::uuid[]))`,
      [uids],
    );
    await tx.query(
      `UPDATE extraction_items SET filename = '', source_uid = id::text WHERE document_uid = ANY($1::uuid[])`,
      [uids],
    );
    // Rows of one source stay together.
    await tx.query(
      `UPDATE extracted_rows r SET source_uid = n.name, filename = ''
       FROM unnest($1::uuid[], $2::text[]) AS n (uid, name) WHERE r.document_uid = n.uid`,
      [uids, uids.map(() => newId())],
    );
  }
}
