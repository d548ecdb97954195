import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@app/common';
import { zipSync } from 'fflate';

type Json = Record<string, unknown>;

interface KeptTable {
  table_id: string;
  table_name: string;
  email: string;
  organization_name: string;
  columns: Json[];
  rows: (Json & { source_uid: string; data: Json })[];
  metadata: Json;
  created_at: string;
  updated_at: string;
}

interface KeptDatabase {
  tables_database_id: string;
  name: string;
  email: string;
  organization_name: string;
  table_ids: string[];
  tables_count: number;
  created_at: string;
  updated_at: string;
}

export interface ServiceCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Json | null;
  /** Whether the caller hung up before the answer was whole. */
  isGone(): boolean;
}

/** What the next call of that path is answered with, in place of what is kept. */
export type Fault = (response: ServerResponse, call: ServiceCall) => void | Promise<void>;

export interface ExtractorServer {
  url: string;
  calls: ServiceCall[];
  tables: Map<string, KeptTable>;
  databases: Map<string, KeptDatabase>;
  /** Once. */
  fail(path: RegExp, fault: Fault): void;
  stop(): Promise<void>;
}

const PREFIX = '/microservices/data-extractor/';
const now = () => new Date().toISOString();

/** An extractor as somebody else may have written it: the paths of the specification, in memory. It trusts its callers. */
export async function startExtractorServer(): Promise<ExtractorServer> {
  const calls: ServiceCall[] = [];
  const tables = new Map<string, KeptTable>();
  const databases = new Map<string, KeptDatabase>();
  const faults: { path: RegExp; fault: Fault }[] = [];

  const answerTo = (call: ServiceCall, response: ServerResponse): unknown => {
    const { method, path, query, body } = call;
    const pieces = path.split('/').map(decodeURIComponent);
    const [first, id = '', part, source = ''] = pieces;
    const missing = (what: string): Json => {
      response.statusCode = 404;
      return { detail: `There is no such ${what}.` };
    };
    if (first === 'tables') return { count: tables.size, tables: [...tables.values()] };
    if (first === 'table' && pieces.length === 1) {
      const found = (query.get('ids') ?? '').split(',').flatMap((one) => tables.get(one) ?? []);
      return { count: found.length, tables: found };
    }
    if (first === 'create_table') {
      if (!Array.isArray(body?.columns) || typeof body.table_name !== 'string') {
        response.statusCode = 400;
        return { error: 'table_name and columns are required.' };
      }
      const table = { metadata: {}, rows: [], ...body, table_id: newId(), created_at: now(), updated_at: now() };
      tables.set(table.table_id, table as unknown as KeptTable);
      return { table_id: table.table_id };
    }
    if (first === 'chat') return { answer: `Asked: ${JSON.stringify(body?.params)}`, table_id: body?.table_id };
    if (first === 'tables_database') return ofDatabases(call, id, response, databases, missing);
    const table = tables.get(id);
    if (!table) return missing('table');
    if (first === 'update_table') {
      const { table_name, columns, metadata, rows, replace_rows: replaces } = body as Partial<KeptTable> & Json;
      const before = table.columns.map(({ name }) => name);
      Object.assign(table, { ...(table_name && { table_name }), ...(columns && { columns }), updated_at: now() });
      Object.assign(table.metadata, metadata);
      if (replaces === true) table.rows = rows ?? [];
      const after = table.columns.map(({ name }) => name);
      return {
        table_id: id,
        existing_rows: table.rows.length,
        columns_added: after.filter((name) => !before.includes(name)),
        columns_removed: before.filter((name) => !after.includes(name)),
        warning: '',
      };
    }
    if (part === undefined && method === 'GET') return table;
    if (part === undefined) {
      tables.delete(id);
      return { message: 'Deleted.', table_id: id, deleted: { rows: table.rows.length, highlights: 0 } };
    }
    if (part === 'rows') {
      const rows = table.rows.filter(({ source_uid }) => source_uid === source);
      if (rows.length === 0) return missing('row');
      if (method === 'PATCH') {
        for (const row of rows) Object.assign(row.data, body?.data);
        return rows[0];
      }
      table.rows = table.rows.filter((row) => !rows.includes(row));
      return { message: 'Deleted.', table_id: id, source_uid: source, deleted_rows: rows.length };
    }
    if (part === 'highlights')
      return {
        success: true,
        result: { table_id: id, source_uid: '', filename: '', file_path: '', file_url: '', highlights: [] },
      };
    if (part === 'extract') {
      response.statusCode = 202;
      return { extraction_id: newId(), table_id: id, total: ((body?.document_uids ?? []) as string[]).length };
    }
    return missing('path');
  };

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://service');
      let text = '';
      for await (const piece of request.setEncoding('utf8') as AsyncIterable<string>) text += piece;
      const path = url.pathname.slice(PREFIX.length);
      let isGone = false;
      response.once('close', () => (isGone = !response.writableFinished));
      const body = text === '' ? null : (JSON.parse(text) as Json);
      const { method = '', headers } = request;
      const call = { method, path, query: url.searchParams, headers, body, isGone: () => isGone };
      calls.push(call);
      const at = faults.findIndex((one) => one.path.test(path));
      if (at >= 0) return faults.splice(at, 1)[0]!.fault(response, call);
      if (/^table\/[^/]+\/export$/.test(path) && tables.has(path.split('/')[1]!)) {
        response.setHeader('content-type', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
        // Ours alone are passed on.
        response.setHeader('set-cookie', 'refresh_token=stolen');
        return void response.end(zipSync({ 'xl/workbook.xml': new TextEncoder().encode('<workbook/>') }));
      }
      if (path === 'chat' && headers.accept === 'text/event-stream') {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        for (const piece of ['Two ', 'rows.']) if (!response.write(piece)) await once(response, 'drain');
        return void response.end();
      }
      const answer = answerTo(call, response);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    })();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    tables,
    databases,
    fail: (path, fault) => void faults.push({ path, fault }),
    stop: () => {
      server.closeAllConnections();
      return new Promise((stopped) => server.close(() => stopped()));
    },
  };
}

function ofDatabases(
  { method, body }: ServiceCall,
  id: string,
  response: ServerResponse,
  databases: Map<string, KeptDatabase>,
  missing: (what: string) => Json,
): unknown {
  const write = (database: KeptDatabase) => {
    database.tables_count = database.table_ids.length;
    databases.set(database.tables_database_id, database);
    return database;
  };
  if (id === '' && method === 'GET') return { count: databases.size, tables_databases: [...databases.values()] };
  if (id === '') {
    const made = { table_ids: [], ...body, tables_database_id: newId(), created_at: now(), updated_at: now() };
    return write(made as unknown as KeptDatabase);
  }
  const database = databases.get(id);
  if (!database) return missing('database');
  if (method === 'GET') return database;
  if (method === 'PUT') return write(Object.assign(database, body));
  databases.delete(id);
  response.statusCode = 200;
  return { message: 'Deleted.', tables_database_id: id };
}
