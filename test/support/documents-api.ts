import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpClient } from './http-client.js';

/** A document, or an error, as the api answers it. */
export interface DocumentBody {
  uid: string;
  folder?: string;
  path: string;
  filename: string;
  processing_state: string;
  last_error: string;
  detail: string;
  reasons: string[];
  code: string;
  [field: string]: unknown;
}

export interface DocumentAnswer {
  status: number;
  body: DocumentBody;
}

export const note = (text = 'The kettle is in the kitchen.', name = 'note.txt') => new File([text], name);

/** A file of test/fixtures/documents. */
export async function fixture(name: string): Promise<File> {
  const bytes = await readFile(join(__dirname, '../fixtures/documents', name));
  return new File([new Uint8Array(bytes)], name.split('/').at(-1)!);
}

/** `POST upload/`, whatever comes of it; without a file when it is null. */
export async function upload(
  client: HttpClient,
  file: File | null,
  fields: Record<string, string> = {},
  field = 'path',
): Promise<DocumentAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file) form.append(field, file, file.name);
  return uploadForm(client, form);
}

/** Any multipart form to `/semantic-search/upload/`, or another path there. */
export async function uploadForm(client: HttpClient, form: FormData, path = 'upload/'): Promise<DocumentAnswer> {
  const headers = { authorization: `Token ${client.token}` };
  const response = await fetch(`${client.baseUrl}/semantic-search/${path}`, { method: 'POST', headers, body: form });
  return { status: response.status, body: (await response.json()) as DocumentBody };
}

/** Any call under `/semantic-search/`, whatever comes of it. */
export async function callStore(
  client: HttpClient,
  method: string,
  path: string,
  body?: unknown,
): Promise<DocumentAnswer> {
  const response = await client.send(method, `/semantic-search/${path}`, body);
  return { status: response.status, body: (await response.json()) as DocumentBody };
}
