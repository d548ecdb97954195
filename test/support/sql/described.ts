import type { Client, Connection, QueryResultRow, Submittable } from 'pg';

export interface DescribedColumn {
  readonly name: string;
  readonly typeId: number;
  /** 0 where the column is computed. */
  readonly tableId: number;
  readonly columnId: number;
}

interface RowDescription {
  fields: { name: string; dataTypeID: number; tableID: number; columnID: number }[];
}

/** Has Postgres parse and plan a statement without running it. @returns its columns; @throws what Postgres says */
export function describeStatement(client: Client, text: string): Promise<DescribedColumn[]> {
  return new Promise((resolve, reject) => {
    let columns: DescribedColumn[] = [];
    const asked = {
      submit(connection: Connection): void {
        connection.parse({ text, name: '', types: [] } as never, true);
        connection.describe({ type: 'S', name: '' } as never, true);
        connection.sync();
      },
      handleRowDescription({ fields }: RowDescription): void {
        columns = fields.map(({ name, dataTypeID: typeId, tableID: tableId, columnID: columnId }) => ({
          name,
          typeId,
          tableId,
          columnId,
        }));
      },
      // Its own `sync` is on its way: the next statement finds the connection ready.
      handleError: reject,
      handleReadyForQuery(): void {
        resolve(columns);
      },
    };
    client.query<Submittable & QueryResultRow>(asked as never);
  });
}
