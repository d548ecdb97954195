import type { HttpClient } from './http-client.js';
import { until } from './until.js';

/** A table file, or an error, as the api answers it. */
export interface TabularBody {
  uid: string;
  filename: string;
  folder: string;
  path: string;
  processing_state: string;
  status: string;
  last_error: string;
  tables: {
    name: string;
    sheet: string | null;
    row_count: number;
    columns: { name: string; original_name: string; type: string; nullable: boolean }[];
  }[];
  sheets: { name: string; rows: number; columns: number; used_range: string }[];
  upload_id: string;
  detail: string;
  reasons: string[];
  code: string;
  [field: string]: unknown;
}

export interface TabularAnswer {
  status: number;
  body: TabularBody;
}

export type StoreName = 'database-search' | 'spreadsheet-search';

export const csv = (text: string | Uint8Array<ArrayBuffer>, name = 'table.csv') => new File([text], name);

export async function uploadTable(
  client: HttpClient,
  file: File | null,
  fields: Record<string, string> = {},
  store: StoreName = 'database-search',
): Promise<TabularAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file) form.append('path', file, file.name);
  const headers = { authorization: `Token ${client.token}` };
  const response = await fetch(`${client.baseUrl}/${store}/upload/`, { method: 'POST', headers, body: form });
  return { status: response.status, body: (await response.json()) as TabularBody };
}

/** Any call under a store, whatever comes of it. */
export async function callTables(
  client: HttpClient,
  method: string,
  path: string,
  body?: unknown,
  store: StoreName = 'database-search',
): Promise<TabularAnswer> {
  const response = await client.send(method, `/${store}/${path}`, body);
  return { status: response.status, body: (await response.json()) as TabularBody };
}

/** Waits until the file is `completed` or `failed`. */
export async function imported(
  client: HttpClient,
  uid: string,
  store: StoreName = 'database-search',
  withinMs = 30_000,
): Promise<TabularBody> {
  let last: TabularBody | undefined;
  await until(async () => {
    last = (await callTables(client, 'GET', `documents/${uid}/`, undefined, store)).body;
    return ['completed', 'failed'].includes(last.processing_state);
  }, withinMs);
  return last!;
}

/** Uploads a table and waits for the end of its import. */
export async function importTable(
  client: HttpClient,
  file: File,
  fields: Record<string, string> = {},
  store: StoreName = 'database-search',
): Promise<TabularBody> {
  const { status, body } = await uploadTable(client, file, fields, store);
  if (status !== 201) throw new Error(`The upload was answered ${status}: ${JSON.stringify(body)}`);
  return imported(client, body.uid, store);
}
