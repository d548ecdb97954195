import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ConflictError } from '@app/common';
import { ExtractedTables, type TableRecord, TableRows } from '@app/extraction';
import { ScratchFiles } from '@app/integrations';
import type { OpenTabularDatabase } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { type LoadedColumns, loadedColumns } from './loaded-columns.js';
import { loadedValue } from './loaded-value.js';

/** By which statements call the one table. */
export const ROWS = 'rows';
/** The process that runs statements holds them in its memory. */
const MAX_BYTES = 192 * 1024 * 1024;

/** The rows of extracted tables, for statements: written down for one question, as they are at that moment. */
@Injectable()
export class RowDatabases {
  private readonly files = new ScratchFiles(join(tmpdir(), 'atrium-table-rows'));

  constructor(
    private readonly tables: ExtractedTables,
    private readonly rows: TableRows,
  ) {}

  /** `release` it when done. @throws NotFoundError, ForbiddenError; ConflictError `table_too_large` */
  async open(viewerId: number, tableId: string): Promise<OpenTabularDatabase> {
    const table = await this.tables.get(viewerId, tableId);
    const loaded = loadedColumns(table.columns);
    const file = await this.files.write(Readable.from(this.lines(viewerId, table, loaded)));
    return {
      uid: tableId,
      store: 'database',
      filename: table.name,
      ...file,
      isRows: true,
      tables: [
        {
          name: ROWS,
          sheet: null,
          rowCount: table.rowsCount,
          columns: loaded.columns,
          range: '',
          firstRow: 1,
          contiguous: true,
        },
      ],
      sheets: [],
    };
  }

  private async *lines(
    viewerId: number,
    { id, columns }: TableRecord,
    { columns: all, names }: LoadedColumns,
  ): AsyncGenerator<Buffer> {
    const types = new Map(all.map(({ name, type }) => [name, type]));
    let bytes = 0;
    for await (const rows of this.rows.batches(viewerId, id)) {
      const lines = rows.map(({ id: rowId, sourceUid, filename, data }) => {
        const values = columns.map(({ name }) => {
          const as = names.get(name)!;
          return [as, loadedValue(types.get(as)!, Object.hasOwn(data, name) ? data[name] : null)] as const;
        });
        const row = { row_id: rowId, source_uid: sourceUid, filename, ...Object.fromEntries(values) };
        return `${JSON.stringify(row)}\n`;
      });
      const piece = Buffer.from(lines.join(''));
      bytes += piece.length;
      if (bytes > MAX_BYTES)
        throw new ConflictError('The table holds more text than can be searched by statements.', {
          code: 'table_too_large',
        });
      yield piece;
    }
  }
}
