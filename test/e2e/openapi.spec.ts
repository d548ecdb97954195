import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { shapeFor } from '../../apps/api/src/http/error-shape.js';
import { RouteCatalog } from '../../apps/api/src/http/route-catalog.js';
import { call, startApi, type TestApi } from '../support/api.js';
import { SPECIFIED_ROUTES } from '../support/spec-paths.js';

type Schema = { $ref?: string; type?: string; items?: Schema; anyOf?: Schema[]; properties?: Record<string, Schema> };
type Media = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  summary: string;
  responses: Record<string, { content?: Media }>;
  security?: object[];
};
type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
};

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

  it('is printed by the command line without any server or setting, and is the same', async () => {
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

  it('holds every route of the document stores that the specification names', () => {
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

  it('points at schemas that exist', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name!,
    );
    expect(refs.length).toBeGreaterThan(20);
    expect([...new Set(refs)].filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(document.components.securitySchemes).toHaveProperty('Token');
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
});

function isSpecific(schema: Schema | undefined): boolean {
  return schema !== undefined && Boolean(schema.$ref ?? schema.items?.$ref ?? schema.type ?? schema.anyOf);
}
