import { type AgentTool, DOCUMENTS } from '@app/agents';
import { listImportedTables, type ImportedTables } from '@app/tabular';
import type { Viewer } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';

const MAX_FILES = 50;
const MAX_COLUMNS = 60;

/** Lists the imported table files of the viewer with tables and columns, for those who query them. */
export function tableListTool(database: DataSource, { userId }: Viewer): AgentTool {
  return {
    name: 'list_tables',
    title: 'List tables',
    description:
      'Lists the imported table files of the user, newest first, with their tables, columns and row counts. Not for what stands in their rows: database_query, or spreadsheet_read for a first look.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Part of the file name; all when absent.' } },
      additionalProperties: false,
    },
    effectsOf: () => 'none',
    approvalFor: () => null,
    sourceOf: () => DOCUMENTS,
    run: async ({ name }) => {
      const part = typeof name === 'string' ? name.replaceAll('\0', '') : '';
      const rows = await listImportedTables(database, userId, part, MAX_FILES);
      return { output: { files: rows.map(toListed) } };
    },
  };
}

function toListed({ uid, filename, store, tables }: ImportedTables) {
  return {
    uid,
    filename,
    store,
    tables: tables.map((table) => ({
      name: table.name,
      rows: table.rowCount,
      columns: table.columns.slice(0, MAX_COLUMNS).map((column) => `${column.name} ${column.type}`),
    })),
  };
}
