import {
  defineKind,
  type HttpResponse,
  JsonText,
  type SideEffects,
  type ToolContext,
  ToolError,
  type ToolResult,
} from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { fileSchema, requireStorage, toFileOutput } from '../files/stored-file.js';
import { weightOf } from '../jobs/held-values.js';
import { inSandbox } from '../jobs/in-sandbox.js';
import { HttpCall } from './http-call.js';
import { HTTP_UNAVAILABLE, toToolError } from './http-failure.js';
import { type HttpParams, httpParams } from './http-params.js';
import { firstPage, itemsOf, nextPage } from './pagination.js';
import { prepareBody } from './request-body.js';
import { filenameOf, headerOf, kindOf, MAX_TEXT_BYTES, parseJson, readText, shownHeaders } from './response-body.js';
import { type RetryPolicy, sendWithRetries } from './retries.js';
import { requestApproval } from './request-approval.js';

export const httpRequestTool = defineKind({
  kind: 'http_request',
  version: '1.0.0',
  title: 'HTTP request',
  description: 'Calls another host and gives its answer as JSON, text or a file, one page or many.',
  category: categories.http,
  icon: 'globe',
  sideEffects: 'external',
  approval: requestApproval,
  sideEffectsOf,
  timeoutSeconds: 300,
  params: httpParams,
  output: z.object({
    status: z.int(),
    ok: z.boolean(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown(),
    file: fileSchema.nullable(),
    items: z.array(z.unknown()),
    pages: z.int(),
    has_more: z.boolean(),
  }),
  examples: [
    { url: 'https://api.example.com/orders', auth: 'bearer', token: '{{_secret.orders_token}}' },
    { method: 'POST', url: 'https://api.example.com/orders', body_kind: 'json', body: { total: 20 } },
  ],
  checkNode: ({ url, auth, token_url: tokenUrl }) => [
    ...checkAddress('url', url),
    ...(auth === 'oauth2' ? checkAddress('token_url', tokenUrl ?? '') : []),
  ],
  unavailableReason: ({ http }) => (http ? null : HTTP_UNAVAILABLE),
  run: async (params, context) => {
    try {
      const call = new HttpCall(params, await prepareBody(params, context), context);
      return await (params.pagination === 'none' ? readOne(call, params, context) : readPages(call, params, context));
    } catch (error) {
      throw toToolError(error);
    }
  },
});

/** Longer JSON is read elsewhere. */
const MAX_PARSED_LENGTH = 64 * 1024;
const READ_LIMIT_MS = 20_000;
/** What the items of all pages may take in memory. */
const MAX_PAGES_WEIGHT = 48 * 1024 * 1024;

/** By RFC 9110: what only reads may run again at will, what replaces or deletes may run again, the others may not. */
function sideEffectsOf({ method = 'GET', safe_to_repeat: isSafe }: Record<string, unknown>): SideEffects {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return 'none';
  return method === 'PUT' || method === 'DELETE' || isSafe === true ? 'idempotent' : 'external';
}

function policyOf(params: HttpParams, { resume }: ToolContext): RetryPolicy {
  return {
    isRepeatable: sideEffectsOf(params) !== 'external',
    maxRetries: params.max_retries,
    firstPauseMs: 500,
    maxPauseMs: 60_000,
    triesBefore: Number(resume?.data?.tries ?? 0),
    mayWait: true,
  };
}

async function readOne(call: HttpCall, params: HttpParams, context: ToolContext): Promise<ToolResult> {
  const reader = new AnswerReader(params, context);
  const sent = await sendWithRetries(() => reader.read(call.send(null, 1)), policyOf(params, context), context);
  if ('wait' in sent) return sent;
  const { response } = sent;
  checkStatus(response, params);
  const found = {
    ...summaryOf(response),
    body: null as unknown,
    file: null as unknown,
    items: [],
    pages: 1,
    has_more: false,
  };
  const kind = wantedKind(response, params);
  // Without a body there is no file, but one of no bytes would be kept.
  if (kind === 'file' && response.status < 400 && params.method !== 'HEAD')
    found.file = await keepFile(response, params, context);
  else {
    const text = await reader.textOf(response);
    // An error page is no reason to fail twice.
    found.body =
      kind === 'json' && response.status < 400
        ? await readJson(text, context)
        : kind === 'json'
          ? lenientJson(text)
          : text;
  }
  return { output: call.withoutCredentials(found) };
}

function wantedKind(response: HttpResponse, params: HttpParams): 'json' | 'text' | 'file' {
  return params.response === 'auto' ? kindOf(response) : params.response;
}

/** Reads texts as a part of the request that brings them: one that breaks off is asked for again, like one that never came. */
class AnswerReader {
  private text: string | null = null;

  constructor(
    private readonly params: HttpParams,
    private readonly context: ToolContext,
  ) {}

  /** @throws EgressError, ToolError `response_too_large` */
  async read(sent: Promise<HttpResponse>): Promise<HttpResponse> {
    const response = await sent;
    const isText = this.params.method !== 'HEAD' && wantedKind(response, this.params) !== 'file';
    this.text = isText && response.status < 400 ? await readText(response, this.context.room) : null;
    return response;
  }

  async textOf(response: HttpResponse): Promise<string> {
    return this.text ?? (await readText(response, this.context.room));
  }
}

async function readPages(call: HttpCall, params: HttpParams, context: ToolContext): Promise<ToolResult> {
  const items: unknown[] = [];
  let characters = 0;
  let weight = 0;
  let page = firstPage(params);
  const seen = new Set<string>();
  const reader = new AnswerReader({ ...params, response: 'json' }, context);
  for (let pages = 1; ; pages += 1) {
    const policy = { ...policyOf(params, context), ...(pages > 1 && { mayWait: false, triesBefore: 0 }) };
    const current = page;
    const sent = await sendWithRetries(() => reader.read(call.send(current, pages)), policy, context);
    if ('wait' in sent) return sent;
    const { response } = sent;
    checkStatus(response, params);
    const text = await reader.textOf(response);
    characters += text.length;
    weight += weightOf(text);
    if (characters > MAX_TEXT_BYTES || weight > MAX_PAGES_WEIGHT)
      throw new ToolError('response_too_large', 'The pages are too large together.', false);
    const body = response.status < 400 ? parseJson(text) : null;
    const found = itemsOf(body, params);
    items.push(...found.slice(0, params.max_items - items.length));
    page = response.status < 400 ? nextPage(params, { response, body, items: found }, pages, items.length) : null;
    context.progress(`${items.length} items on ${pages} pages`);
    const mark = JSON.stringify(page);
    // A host that names the same page again would never end.
    const isLast = page === null || seen.has(mark) || pages >= params.max_pages || items.length >= params.max_items;
    seen.add(mark);
    if (isLast)
      return {
        output: call.withoutCredentials({
          ...summaryOf(response),
          body: null,
          file: null,
          items,
          pages,
          has_more: page !== null,
        }),
      };
  }
}

function summaryOf(response: HttpResponse) {
  return { status: response.status, ok: response.status < 400, headers: shownHeaders(response) };
}

/** Without the host's words: an error is shown to more people than an output, and banners are in there. */
function checkStatus({ status, body }: HttpResponse, { fail_on_status: fails }: HttpParams): void {
  if (!fails || status < 400) return;
  body.destroy();
  throw new ToolError('http_status', `The host answered with status ${status}.`);
}

async function keepFile(response: HttpResponse, params: HttpParams, context: ToolContext) {
  const declared = Number(headerOf(response, 'content-length') || Number.NaN);
  const file = {
    name: params.filename || filenameOf(response),
    mimeType: headerOf(response, 'content-type').split(';')[0]!.trim() || 'application/octet-stream',
    content: response.body,
    atMostBytes: Number.isFinite(declared) ? Math.min(declared, params.max_bytes) : params.max_bytes,
    idempotencyKey: context.idempotencyKey,
  };
  return toFileOutput(await requireStorage(context).write(context.viewer, file, context.signal));
}

/** A large body stays text: as objects it may take thirty times its bytes. @throws ToolError `response_invalid` */
async function readJson(text: string, context: ToolContext): Promise<unknown> {
  if (text.length <= MAX_PARSED_LENGTH || !context.sandbox) return parseJson(text);
  try {
    return new JsonText((await inSandbox(context, 'json', { text }, READ_LIMIT_MS)).text);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_json') return parseJson('invalid');
    throw error;
  }
}

function lenientJson(text: string): unknown {
  if (text.length > MAX_PARSED_LENGTH) return text;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof ToolError) return text;
    throw error;
  }
}

function checkAddress(path: string, url: unknown): { path: string; message: string }[] {
  if (typeof url !== 'string' || url.includes('{{')) return [];
  const parsed = URL.parse(url.trim());
  const isHttp = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  return isHttp && parsed.username === '' ? [] : [{ path, message: 'Enter an address that begins with https://.' }];
}
