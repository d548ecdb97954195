import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { shapeFor } from '../../apps/api/src/http/error-shape.js';
import { isOpenRoute, partOf } from '../../apps/api/src/http/part-of.js';
import { RouteCatalog } from '../../apps/api/src/http/route-catalog.js';
import { AgentGatewaySocket } from '../../apps/api/src/live/agent.gateway.js';
import { ChatGateway } from '../../apps/api/src/live/chat.gateway.js';
import { WorkflowNodesGateway } from '../../apps/api/src/live/workflow-nodes.gateway.js';
import { ToolShelf } from '../../apps/api/src/mcp/tools/tool-shelf.js';
import { call, startApi, type TestApi } from '../support/api.js';
import { complaintsOfClients } from '../support/generated-clients.js';
import { SPECIFIED_ROUTES } from '../support/spec-paths.js';
import { inAll } from '../support/long.js';

type Schema = {
  $ref?: string;
  type?: string | string[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
};
type Media = Record<string, { schema?: Schema; example?: unknown }>;
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
  security?: object[];
};
type Document = {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
};

const ROOT = resolve(__dirname, '../..');

const filesOf = (pattern: string) => globSync(pattern, { cwd: ROOT }).map((file) => join(ROOT, file));

/** Methods that say `@throws … ConflictError`, or one that extends it, as `Class.method`. */
async function conflictsOfMethods(): Promise<Set<string>> {
  const found = new Set<string>();
  const texts = await Promise.all(filesOf('{apps/api,libs/*}/src/**/*.ts').map((file) => readFile(file, 'utf8')));
  const errors = texts.flatMap((text) =>
    [...text.matchAll(/class (\w+) extends ConflictError\b/g)].map(([, name]) => name!),
  );
  const says409 = new RegExp(`@throws[\\s\\S]*\\b(?:${['ConflictError', ...errors].join('|')})\\b`);
  for (const text of texts) {
    for (const [, name, body] of text.matchAll(/\nexport (?:abstract )?class (\w+)[^{]*\{\n([\s\S]*?)\n\}/g))
      for (const [, says, method] of body!.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(?:async )?(\w+)[(<]/g))
        if (says409.test(says!)) found.add(`${name}.${method}`);
  }
  return found;
}

const anyName = (route: string) => route.replaceAll(/\{\w+\}/g, '{}');

describe('the description of the api', () => {
  let api: TestApi;
  let document: Document;
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
    );

  beforeAll(async () => {
    api = await startApi();
    document = (await call(`${api.baseUrl}/openapi.json`)).body as Document;
  });
  afterAll(() => api.stop());

  inAll('is printed by the command line without any server or setting, and is the same', async () => {
    const file = resolve(__dirname, '../../apps/api/dist/cli/openapi.js');
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      env: { PATH: process.env.PATH },
      maxBuffer: 50_000_000,
    });
    expect(JSON.parse(stdout)).toEqual(document);
  });

  it('holds every route, with its slash', () => {
    const routes = api.app.get(RouteCatalog).routes.filter(({ path }) => path !== '/openapi.json');
    const described = new Set(operations().map(({ name }) => name));
    const missing = routes
      .map(({ method, path }) => `${method} ${path.replaceAll(/[:*]([A-Za-z_]\w*)/g, '{$1}')}`)
      .filter((name) => !described.has(name));
    expect(missing).toEqual([]);
  });

  it('holds every route of the document stores that the contract names', () => {
    const described = new Set(operations().map(({ name }) => anyName(name)));
    expect(SPECIFIED_ROUTES.filter((route) => !described.has(anyName(route)))).toEqual([]);
  });

  it('documents an answer and the errors of every route', () => {
    const gaps: string[] = [];
    for (const { name, operation } of operations()) {
      const { responses, summary } = operation;
      const statuses = Object.keys(responses).map(Number);
      const success = statuses.filter((status) => status < 300 || status === 302);
      if (!summary) gaps.push(`${name}: no summary`);
      if (success.length === 0) gaps.push(`${name}: no successful answer`);
      for (const status of success) {
        const schemas = Object.values(responses[status]!.content ?? {}).map(({ schema }) => schema);
        if (status !== 204 && (schemas.length === 0 || schemas.some((schema) => !isSpecific(schema))))
          gaps.push(`${name}: ${status} has no schema`);
      }
      if (!statuses.includes(400)) gaps.push(`${name}: 400 is not documented`);
      if (operation.security?.length !== 0 && !statuses.includes(401)) gaps.push(`${name}: 401 is not documented`);
    }
    expect(gaps).toEqual([]);
  });

  it('documents every status that a description names', () => {
    const named = /(?<![\w-])(?:4\d\d|50\d)(?= (?:with|when|where|without|for|once|`))/gu;
    const gaps = operations().flatMap(({ name, operation: { description, responses } }) =>
      (description.match(named) ?? []).filter((status) => !responses[status]).map((status) => `${name}: ${status}`),
    );
    expect(gaps).toEqual([]);
  });

  it('documents the conflicts that what a handler calls says it throws', async () => {
    const thrown = await conflictsOfMethods();
    const described = new Map(operations().map(({ name, operation }) => [name, operation.responses]));
    const sources = await Promise.all(filesOf('apps/api/src/**/*.controller.ts').map((file) => readFile(file, 'utf8')));
    const gaps = api.app.get(RouteCatalog).routes.flatMap(({ method, path, controller, handler }) => {
      const name = `${method} ${path.replaceAll(/[:*]([A-Za-z_]\w*)/g, '{$1}')}`;
      const source = sources.find((text) => text.includes(`export class ${controller.name} `)) ?? '';
      const body = new RegExp(`\n  (?:async )?${handler}\\([\\s\\S]*?\n  \\}\n`).exec(source)?.[0] ?? '';
      return [...body.matchAll(/this\.(\w+)\.(\w+)\(/g)]
        .map(([, field, called]) => `${new RegExp(`readonly ${field}: (\\w+)`).exec(source)?.[1]}.${called}`)
        .filter((called) => thrown.has(called) && !described.get(name)?.['409'])
        .map((called) => `${name}: ${called}`);
    });
    expect(thrown.size).toBeGreaterThan(50);
    expect(gaps).toEqual([]);
  });

  it('says of every route of the dedicated agent that there may be none', () => {
    const ofAgent = operations().filter(({ path }) => path.startsWith('/microservices/dedicated-agent/'));
    expect(ofAgent.length).toBeGreaterThan(20);
    expect(ofAgent.filter(({ operation }) => !operation.responses['404']).map(({ name }) => name)).toEqual([]);
  });

  it('has a name, a group and a description for every operation', () => {
    const all = operations();
    const names = all.map(({ operation }) => operation.operationId);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z0-9]+)+$|^sign(In|Out)$/.test(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(['createWorkflow', 'signIn', 'uploadDocument', 'listSessions', 'getMe']),
    );
    // What is derived from the declaration alone says no more than the summary: add a description to @Route.
    const derived = all.filter(
      ({ operation: { description, summary } }) => !description || description.split('\n\n')[0] === `${summary}.`,
    );
    expect(derived.map(({ name }) => name)).toEqual([]);
    expect(all.filter(({ operation }) => operation.tags.length !== 1).map(({ name }) => name)).toEqual([]);
    // A group that nothing is said of: add it to apps/api/src/openapi/tags.ts.
    expect(document.tags.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  it('tells of null, of files, of framing and of headers', () => {
    const { plan } = document.components.schemas.UserResponse!.properties!;
    expect(plan).toMatchObject({ anyOf: [{ $ref: '#/components/schemas/ActivePlan' }, { type: 'null' }] });
    const upload = document.paths['/semantic-search/upload/']!.post!.requestBody!.content['multipart/form-data']!;
    expect(upload.schema).toMatchObject({
      required: expect.arrayContaining(['path']) as string[],
      properties: { path: { type: 'string', format: 'binary' }, folder: { type: 'string' } },
    });
    const named = (path: string, method: string) => document.paths[path]![method]!.parameters!.map(({ name }) => name);
    expect(named('/semantic-search/chat/', 'post')).toEqual(expect.arrayContaining(['framing', 'Idempotency-Key']));
    expect(named('/microservices/chat-turns/{turnId}/events/', 'get')).toContain('Last-Event-ID');
    expect(named('/media/{path}', 'get')).toEqual(expect.arrayContaining(['path', 'Range', 'If-None-Match']));
    expect(named('/media/{path}', 'get')).toEqual(expect.arrayContaining(['exp', 'kid', 'sig', 'link']));
    expect(named('/oauth/authorize/', 'get')).toEqual(expect.arrayContaining(['client_id', 'code_challenge', 'state']));
    expect(document.components.securitySchemes.Token).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(document.servers).toEqual([{ url: '/', description: 'This deployment.' }]);
  });

  it('points at schemas that exist', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name!,
    );
    expect(refs.length).toBeGreaterThan(20);
    expect([...new Set(refs)].filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(document.components.securitySchemes).toHaveProperty('Token');
  });

  it('types no other fields beside optional ones, which TypeScript refuses in an interface', () => {
    const mixed: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties, additionalProperties: others } = schema as Schema;
      if (properties && typeof others === 'object' && Object.keys(others).length > 0) mixed.push(path);
      for (const [name, inner] of Object.entries(schema)) look(inner, `${path}/${name}`);
    };
    look(document, '');
    expect(mixed).toEqual([]);
  });

  it('says null and choices as generators of clients take them', () => {
    const refused: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null || /\/examples?$/.test(path)) return;
      const { type, enum: choices } = schema as Record<string, unknown>;
      if (Array.isArray(type) && ['enum', 'items', 'properties'].some((key) => key in schema))
        refused.push(`${path}: a list of types`);
      if (Array.isArray(choices) && choices.includes(null)) refused.push(`${path}: null is a choice`);
      if (Array.isArray(choices) && choices.includes('') && !('x-enum-varnames' in schema))
        refused.push(`${path}: no name`);
      for (const [name, inner] of Object.entries(schema)) look(inner, `${path}/${name}`);
    };
    look(document, '');
    expect(refused).toEqual([]);
  });

  it('says of integers that need 64 bits that they do: other languages read 32', () => {
    const narrow: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null || /\/(?:examples?|default)$/.test(path)) return;
      const { type, maximum, format } = schema as Record<string, unknown>;
      const isWide = Number(maximum) >= 2 ** 31 || /(?:^|[/_])(?:bytes|phone)(?:\/anyOf\/0)?$/.test(path);
      if ([type].flat().includes('integer') && isWide && format !== 'int64') narrow.push(path);
      for (const [name, inner] of Object.entries(schema)) look(inner, `${path}/${name}`);
    };
    look(document, '');
    expect(narrow).toEqual([]);
    expect(document.components.schemas.StorageResponse!.properties!.used_bytes).toMatchObject({ format: 'int64' });
  });

  it('gives names to what languages without unions and inline types make up names for', () => {
    const unnamed: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null || /\/examples?$/.test(path)) return;
      const { anyOf, properties, title } = schema as Schema & { title?: string };
      const kinds = Array.isArray(anyOf) ? anyOf.map(({ type }) => String(type)) : [];
      if (['object', 'array', 'string'].every((kind) => kinds.includes(kind))) unnamed.push(`${path}: any JSON`);
      if (properties && path.startsWith('/paths/') && !title) unnamed.push(`${path}: a form`);
      for (const [name, inner] of Object.entries(schema)) look(inner, `${path}/${name}`);
    };
    look(document, '');
    expect(unnamed).toEqual(['/components/schemas/JsonValue: any JSON']);
  });

  it('gives no body the name that generators give to the answer of an operation', () => {
    // CreateWorkflowResponse is what @hey-api/openapi-ts, oapi-codegen and others call the answers of createWorkflow.
    const made = operations().flatMap(({ operation: { operationId: id } }) =>
      ['Response', 'Responses', 'Error', 'Errors', 'Data', 'Params'].map(
        (end) => `${id[0]!.toUpperCase()}${id.slice(1)}${end}`,
      ),
    );
    expect(made.filter((name) => name in document.components.schemas)).toEqual([]);
  });

  it('names errors that say what must be in them before those that fit everything', () => {
    const choices = operations().flatMap(({ name, operation: { responses } }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.values(content ?? {}).flatMap(({ schema }) =>
          schema?.anyOf ? [{ name: `${name}: ${status}`, refs: schema.anyOf.map(({ $ref }) => $ref ?? '') }] : [],
        ),
      ),
    );
    expect(choices.length).toBeGreaterThan(50);
    const late = choices.filter(({ refs }) => refs.slice(0, -1).some((ref) => /\/Field(?:Errors|Messages)$/.test(ref)));
    expect(late.map(({ name }) => name)).toEqual([]);
  });

  it('is browsable without the internet', async () => {
    const bare = await call(`${api.baseUrl}/`);
    expect([bare.status, bare.headers.get('location')]).toEqual([302, 'docs/']);
    const page = await call(`${api.baseUrl}/docs/`);
    expect(page.status).toBe(200);
    const files = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file).toMatch(/^\.\//);
      expect((await call(new URL(file, `${api.baseUrl}/docs/`).toString())).status).toBe(200);
    }
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('says of each route, channel and tool what of a plan it belongs to', () => {
    // Add @PartOf to the controller or the gateway, or `feature` to its @Route: a feature that plans sell, or `core`.
    const undecided = api.app.get(RouteCatalog).routes.filter(({ part }) => part === null);
    expect(undecided.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    // What reads or deletes by its method stays open to everybody, and is not named here unless it does not.
    const named = api.app
      .get(RouteCatalog)
      .routes.filter(({ method, part, isOpen }) => isOpen !== isOpenRoute(method, {}) || (!isOpen && part !== 'core'))
      .map(({ method, path, part, isOpen }) => `${String(part)}${isOpen ? ' open' : ''}: ${method} ${path}`);
    expect(named.sort()).toMatchSnapshot();
    const gateways = [AgentGatewaySocket, ChatGateway, WorkflowNodesGateway];
    expect(gateways.map((gateway) => [gateway.name, partOf(gateway, undefined)])).toMatchSnapshot();
    const tools = api.app.get(ToolShelf).all.map(({ name, part, isOpen }) => `${name} ${part}${isOpen ? ' open' : ''}`);
    expect(tools.sort()).toMatchSnapshot();
  });

  it('lists who may call what, how often, and how its errors look', () => {
    const lines = api.app.get(RouteCatalog).routes.map(({ method, path, isPublic, route }) => {
      const rate =
        route.rate === 'none' ? 'no limit' : route.rate ? `${route.rate.bucket} ${route.rate.perMinute}/min` : '';
      return [
        `${method} ${path}`.padEnd(62),
        (isPublic ? 'public' : route.staffOnly ? 'staff' : 'session').padEnd(8),
        shapeFor(route.errors, 400).padEnd(13),
        String(route.status).padEnd(4),
        rate,
        route.startsSomething ? 'idempotent' : '',
        route.scope ?? '',
      ]
        .join(' ')
        .trimEnd();
    });
    expect(lines.sort().join('\n')).toMatchSnapshot();
  });

  // These keep the processor busy while idle connections time out, so they come last.
  inAll('is valid OpenAPI 3.1 in the eyes of a linter', async () => {
    expect(document.openapi).toBe('3.1.0');
    const folder = await mkdtemp(join(tmpdir(), 'atrium-openapi-'));
    try {
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
      // Paths end with a slash here.
      await writeFile(
        join(folder, 'redocly.yaml'),
        'extends: [recommended]\nrules:\n  no-path-trailing-slash: off\n  info-license: off\n',
      );
      const redocly = resolve(__dirname, '../../node_modules/@redocly/cli/bin/cli.js');
      const lint = [redocly, 'lint', 'openapi.json', '--format=json', '--max-problems=1000'];
      const { stdout } = await promisify(execFile)(process.execPath, lint, {
        cwd: folder,
        env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off' },
        maxBuffer: 50_000_000,
      });
      const { totals, problems } = JSON.parse(stdout) as {
        totals: { errors: number };
        problems: { ruleId: string; severity: string; message: string }[];
      };
      expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
      expect(totals.errors).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  inAll('makes clients that compile strictly against calls that people make', async () => {
    expect(await complaintsOfClients(JSON.stringify(document))).toBe('');
  });

  inAll('has an example for every body that is of the schema beside it', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addFormat('binary', true);
    ajv.addSchema({ $id: 'api', components: document.components });
    const wrong: string[] = [];
    for (const { name, operation } of operations()) {
      const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 300);
      const bodies = [...Object.entries({ request: operation.requestBody }), ...answers];
      for (const [which, body] of bodies)
        for (const [type, { schema, example }] of Object.entries(body?.content ?? {})) {
          if (example === undefined) wrong.push(`${name} ${which} ${type}: none`);
          const placed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
          if (!ajv.validate(placed, example)) wrong.push(`${name} ${which}: ${ajv.errorsText()}`);
        }
    }
    expect(wrong).toEqual([]);
  });
});

function isSpecific(schema: Schema | undefined): boolean {
  return schema !== undefined && Boolean(schema.$ref ?? schema.items?.$ref ?? schema.type ?? schema.anyOf);
}
