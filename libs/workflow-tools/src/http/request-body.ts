import { type HttpRequest, type ReadableFile, type ToolContext, ToolError } from '@app/workflow-definition';
import { FormDataEncoder } from 'form-data-encoder';
import { requireFile } from '../files/stored-file.js';
import type { HttpParams } from './http-params.js';

/** Of all files of one request together. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export interface PreparedBody {
  contentType: string | null;
  body: HttpRequest['body'];
}

/** The body of the request; files are read anew each time that it is sent. @throws ToolError */
export async function prepareBody(params: HttpParams, context: ToolContext): Promise<PreparedBody> {
  const { body_kind: kind, body, content_type: contentType } = params;
  switch (kind) {
    case 'none':
      return { contentType: null, body: undefined };
    case 'json':
      return { contentType: contentType || 'application/json', body: JSON.stringify(body ?? null) };
    case 'text':
      return { contentType: contentType || 'text/plain; charset=utf-8', body: toText(body) };
    case 'form':
      return { contentType: 'application/x-www-form-urlencoded', body: new URLSearchParams(fieldsOf(body)).toString() };
    case 'raw': {
      if (params.file === '' && typeof body === 'string')
        return { contentType: contentType || 'application/octet-stream', body: fromBase64(body) };
      const file = await requireFile(context, params.file);
      checkSize([file]);
      return { contentType: contentType || file.mimeType, body: file };
    }
    case 'multipart':
      return multipart(params, context);
  }
}

async function multipart({ body, files }: HttpParams, context: ToolContext): Promise<PreparedBody> {
  const entries: [string, string | FormFile][] = fieldsOf(body);
  const found: ReadableFile[] = [];
  for (const { field, file } of files) {
    const readable = await requireFile(context, file);
    found.push(readable);
    entries.push([field, toFormFile(readable)]);
  }
  checkSize(found);
  const encoder = new FormDataEncoder({
    [Symbol.toStringTag]: 'FormData',
    append: () => undefined,
    getAll: (name: string) => entries.filter(([key]) => key === name).map(([, value]) => value),
    entries: () => entries.values(),
    [Symbol.iterator]: () => entries.values(),
  });
  const sizeBytes = Number(encoder.contentLength);
  return { contentType: encoder.contentType, body: { sizeBytes, open: () => encoder.encode() } };
}

interface FormFile {
  name: string;
  size: number;
  type: string;
  lastModified: number;
  stream(): AsyncIterable<Uint8Array>;
  [Symbol.toStringTag]: string;
}

function toFormFile({ name, sizeBytes, mimeType, open }: ReadableFile): FormFile {
  return {
    name,
    size: sizeBytes,
    type: mimeType,
    lastModified: 0,
    stream: () => open(),
    [Symbol.toStringTag]: 'File',
  };
}

function fromBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (/^[A-Za-z0-9+/_-]*={0,2}$/.test(text.replaceAll(/\s/g, ''))) return bytes;
  throw new ToolError('invalid_params', 'body: This is not Base64.', false);
}

function checkSize(files: readonly ReadableFile[]): void {
  if (files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) <= MAX_UPLOAD_BYTES) return;
  throw new ToolError('file_too_large', 'The files are larger than 50 MB together.', false);
}

function fieldsOf(body: unknown): [string, string][] {
  if (body === undefined || body === null) return [];
  if (typeof body !== 'object' || Array.isArray(body))
    throw new ToolError('invalid_params', 'body: A form needs an object of fields.', false);
  return Object.entries(body).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.map((item): [string, string] => [name, toText(item)]);
  });
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
