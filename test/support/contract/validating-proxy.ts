import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { readBody } from './wire-body.js';

type Json = Record<string, unknown>;
type Media = Record<string, { schema?: Json }>;

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema?: Json;
}

interface Described {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Media };
  responses: Record<string, { content?: Media; headers?: Json }>;
}

export interface PublishedDocument {
  paths: Record<string, Record<string, Described>>;
  components: Json;
}

/** What any client and any server of HTTP may say without it being of this api. */
const COMMON_REQUEST =
  /^(host|connection|accept(-.*)?|user-agent|authorization|content-(type|length)|cookie|origin|referer|sec-.*|transfer-encoding|expect|traceparent|x-request-id|x-forwarded-.*|if-none-match)$/;
const COMMON_ANSWER =
  /^(date|connection|keep-alive|transfer-encoding|content-(type|length|security-policy|encoding)|cache-control|vary|allow|server|location|access-control-.*|cross-origin-.*|origin-agent-cluster|referrer-policy|strict-transport-security|x-(content-type-options|frame-options|dns-prefetch-control|download-options|permitted-cross-domain-policies|xss-protection|accel-buffering))$/;

/** Passes calls on to the api, and holds both sides to what the description says of them, taken as it is published. */
export class ValidatingProxy {
  readonly violations: string[] = [];
  /** Calls by `METHOD path status`, as the document writes the path. */
  readonly seen = new Set<string>();
  calls = 0;
  /** Calls whose answers may be kept by caches. */
  readonly storable = new Set<string>();
  private readonly ajv = new Ajv2020({ strict: false, coerceTypes: 'array', allErrors: false });
  private readonly exact = new Ajv2020({ strict: false, allErrors: false });
  private readonly compiled = new Map<Json, ValidateFunction>();
  private readonly routes: { method: string; path: string; pattern: RegExp; described: Described }[];
  private readonly server = createServer((asked, answer) => void this.pass(asked, answer));

  constructor(
    private readonly target: string,
    document: PublishedDocument,
  ) {
    for (const ajv of [this.ajv, this.exact]) {
      formats.default(ajv);
      ajv.addFormat('binary', true);
      ajv.addSchema({ $id: 'api', components: document.components });
    }
    this.routes = Object.entries(document.paths)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, described]) => ({
          method: method.toUpperCase(),
          path,
          pattern: new RegExp(
            `^${path
              .replaceAll('.', '\\.')
              .replace('{path}', '.+')
              .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
          ),
          described,
        })),
      )
      // Words before parameters.
      .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = Buffer.concat(await asked.toArray());
    const { hostname, port } = new URL(this.target);
    const { method = 'GET', url = '/', headers } = asked;
    const call = request({ hostname, port, method, path: url, headers: { ...headers, connection: 'close' } });
    call.once('error', (error) => answer.destroy(error));
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        answer.write(chunk);
      });
      // Also where the caller has heard enough of a stream.
      response.once('close', () => {
        this.judge(method, url, headers, body, response, Buffer.concat(chunks));
        if (response.complete) answer.end();
        else answer.destroy();
      });
      answer.once('close', () => call.destroy());
    });
    call.end(body);
  }

  private judge(
    method: string,
    url: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
    response: IncomingMessage,
    said: Buffer,
  ): void {
    this.calls += 1;
    const { pathname, searchParams } = new URL(url, 'http://api');
    const status = response.statusCode ?? 0;
    const route = this.routes.find((one) => one.method === method && one.pattern.test(pathname));
    if (!route) {
      // What is not described must not be there.
      if (![301, 404, 405].includes(status)) this.violations.push(`${method} ${pathname} ${status}: not described`);
      return;
    }
    const { path, described } = route;
    this.seen.add(`${method} ${path} ${status}`);
    if (!/no-store/.test(response.headers['cache-control'] ?? '')) this.storable.add(`${method} ${path} ${status}`);
    const complain = (what: string) => this.violations.push(`${method} ${path} ${status}: ${what}`);
    // What was taken, has to have been described; what was refused, may have been anything.
    if (status < 400) this.judgeRequest(described, headers, searchParams, body, complain);
    this.judgeAnswer(method, described, response, said, complain);
  }

  private judgeRequest(
    { parameters = [], requestBody }: Described,
    headers: IncomingHttpHeaders,
    query: URLSearchParams,
    body: Buffer,
    complain: (what: string) => void,
  ): void {
    const named = (where: string) => parameters.filter((one) => one.in === where);
    const known = new Map(named('query').map((one) => [one.name, one]));
    for (const name of new Set(query.keys())) {
      const schema = known.get(name)?.schema;
      const values = query.getAll(name);
      const holder = { value: values.length > 1 ? values : values[0] };
      if (!schema) complain(`the query parameter ${name} is not described`);
      else if (!this.holds(this.ajv, { type: 'object', properties: { value: schema } }, holder))
        complain(`the query parameter ${name} is not of its schema: ${JSON.stringify(holder.value)}`);
    }
    const described = new Set(named('header').map(({ name }) => name.toLowerCase()));
    for (const name of Object.keys(headers))
      if (!COMMON_REQUEST.test(name) && !described.has(name)) complain(`the header ${name} is not described`);
    for (const { name, required } of parameters.filter((one) => one.in !== 'path'))
      if (required && !query.has(name) && headers[name.toLowerCase()] === undefined) complain(`${name} is missing`);
    // What clients send where there is nothing to say.
    if (body.length === 0 || (!requestBody && body.toString() === '{}')) return;
    const type = headers['content-type'] ?? '';
    const media = mediaOf(requestBody?.content, type);
    if (!media) return complain(`a body of type ${type} is not described`);
    const value = readBody(body, type);
    if (value !== undefined && !this.holds(type.includes('json') ? this.exact : this.ajv, media.schema ?? {}, value))
      complain(`the body is not of its schema: ${this.errors(media.schema)} ${JSON.stringify(value).slice(0, 300)}`);
  }

  private judgeAnswer(
    method: string,
    { responses }: Described,
    { statusCode, headers }: IncomingMessage,
    said: Buffer,
    complain: (what: string) => void,
  ): void {
    const declared = responses[String(statusCode)];
    if (!declared) return complain('the status is not described');
    const names = new Set(Object.keys(declared.headers ?? {}).map((name) => name.toLowerCase()));
    for (const name of Object.keys(headers))
      if (!COMMON_ANSWER.test(name) && !names.has(name)) complain(`the header ${name} is not described`);
    if (method === 'HEAD' || said.length === 0) return;
    const type = headers['content-type'] ?? '';
    const media = mediaOf(declared.content, type);
    if (!media) return complain(`an answer of type "${type}" is not described`);
    if (!/json/.test(type) || media.schema?.format === 'binary') return;
    if (!this.holds(this.exact, media.schema ?? {}, readBody(said, type)))
      complain(`the answer is not of its schema: ${this.errors(media.schema)} ${said.toString().slice(0, 300)}`);
  }

  private holds(ajv: Ajv2020, schema: Json, value: unknown): boolean {
    let validate = this.compiled.get(schema);
    if (!validate) {
      const placed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Json;
      validate = ajv.compile(placed);
      this.compiled.set(schema, validate);
    }
    return validate(value);
  }

  private errors(schema: Json = {}): string {
    return this.exact.errorsText(this.compiled.get(schema)?.errors);
  }
}

function mediaOf(content: Media = {}, type: string): { schema?: Json } | undefined {
  const name = type.split(';')[0]!.trim().toLowerCase();
  return content[name] ?? content[`${name.split('/')[0]!}/*`] ?? content['*/*'];
}
