import type { INestApplicationContext, INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { EXACT_NAMES } from '../http/fields/field.js';
import { RouteCatalog, type CatalogedRoute } from '../http/route-catalog.js';
import { ANSWER_HEADERS, withHeaders } from '../http/answer-headers.js';
import { errorResponses, errorSchemas } from './error-responses.js';
import { addExamples } from './example-bodies.js';
import { factsOf } from './operation-facts.js';
import { operationNameOf } from './operation-names.js';
import { furtherParameters, type Operation, ownBody } from './request-parts.js';
import { type Schema, toSchema2020 } from './schema-2020.js';
import { tagOf, TAGS } from './tags.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

type Schemas = Record<string, Schema>;

const handlerOf = (controller: string, method: string) => `${controller}.${method}`;

const builder = () =>
  new DocumentBuilder()
    .setTitle('Atrium')
    .setDescription(
      'Accounts, document stores with cited answers, agents and workflows. Paths end with a slash except where shown. ' +
        'Requests are JSON; forms with the same field names are taken too. Every answer carries `X-Request-Id`.',
    )
    .setVersion('0.1.0')
    .setOpenAPIVersion('3.1.0')
    .addSecurity('Token', {
      type: 'http',
      scheme: 'bearer',
      description:
        'The `auth_token` as POST /api/v1/token/login/ returns it, or an API token, with nothing before it. ' +
        '`Authorization: Token <auth_token>` is taken as well.',
    })
    .addSecurityRequirements('Token')
    .build();

/**
 * The description of every route, from the code. Works on an app that was created in preview mode.
 * @param publicUrl where clients reach the api; the place of the document itself when undefined
 */
export function buildDocument(app: INestApplication | INestApplicationContext, publicUrl?: string): OpenAPIObject {
  const catalog = new RouteCatalog(app.get(ModulesContainer));
  const document = SwaggerModule.createDocument(app as INestApplication, builder(), {
    operationIdFactory: handlerOf,
    deepScanRoutes: true,
  });
  document.servers = [{ url: publicUrl?.replace(/\/+$/, '') ?? '/', description: 'This deployment.' }];
  const byId = new Map(catalog.routes.map((route) => [handlerOf(route.controller.name, route.handler), route]));
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const declared = METHODS.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      const route = operation && byId.get(operation.operationId ?? '');
      if (!operation || !route) return [];
      complete(operation, route, schemas);
      return [route];
    });
    const written = declared[0] ? asTemplate(declared[0].path) : path;
    paths[written] = { ...paths[written], ...item };
  }
  document.paths = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  const forms = new Set(catalog.routes.flatMap(({ route }) => (route.form ? [route.form.name] : [])));
  const named = Object.entries(schemas).filter(([name]) => !forms.has(name));
  for (const [name, schema] of named) if (EXACT_NAMES.has(name)) Object.assign(schema, { additionalProperties: false });
  document.components = {
    ...document.components,
    headers: { ...ANSWER_HEADERS },
    schemas: { ...Object.fromEntries(named), ...errorSchemas },
  };
  speak2020(document);
  nameOperations(document);
  addExamples(document);
  return document;
}

/** Swagger drops trailing slashes; the catalogue knows the path as it was declared. */
function asTemplate(path: string): string {
  return path.replace(/[:*]([A-Za-z_]\w*)/g, '{$1}');
}

function complete(operation: Operation, cataloged: CatalogedRoute, schemas: Schemas): void {
  const { route, isPublic } = cataloged;
  if (isPublic) operation.security = [];
  else
    (operation as Operation & { 'x-scope'?: string | null })['x-scope'] =
      route.scope === undefined ? null : [route.scope].flat().join(' | ');
  operation.operationId = operationNameOf(cataloged);
  operation.tags = [...new Set((operation.tags ?? []).map(tagOf))];
  operation.description = [operation.description ?? `${operation.summary}.`, factsOf(cataloged)].join('\n\n');
  const known = (operation.parameters ?? []) as { name: string }[];
  operation.parameters = [...known, ...furtherParameters(cataloged, known)] as NonNullable<Operation['parameters']>;
  const body = operation.requestBody ?? ownBody(cataloged, schemas);
  if (body) operation.requestBody = route.bodyOptional ? { ...body, required: false } : body;
  const taken = operation.requestBody && fieldsOf(operation.requestBody, schemas);
  const answers = { ...operation.responses, ...errorResponses(cataloged, taken) };
  operation.responses = withHeaders(cataloged, answers) as Operation['responses'];
}

function fieldsOf(body: NonNullable<Operation['requestBody']>, schemas: Schemas): string[] {
  const [media] = Object.values('content' in body ? body.content : {});
  const name = media?.schema && '$ref' in media.schema ? media.schema.$ref.split('/').at(-1)! : '';
  return Object.keys((schemas[name]?.properties as object | undefined) ?? {});
}

function convert(holder: { schema?: unknown }): void {
  if (holder.schema) holder.schema = toSchema2020(holder.schema as Schema);
}

/** The decorators write schemas of OpenAPI 3.0. */
function speak2020({ paths, components }: OpenAPIObject): void {
  for (const operation of operationsOf(paths)) {
    for (const parameter of operation.parameters ?? []) convert(parameter as { schema?: unknown });
    const bodies = [operation.requestBody, ...Object.values(operation.responses)];
    for (const body of bodies) if (body && 'content' in body) Object.values(body.content ?? {}).forEach(convert);
  }
  const schemas = components?.schemas as Schemas | undefined;
  for (const [name, schema] of Object.entries(schemas ?? {})) schemas![name] = toSchema2020(schema);
}

/** @throws Error for two operations of one name, and for a group that nothing is said of */
function nameOperations(document: OpenAPIObject): void {
  const seen = new Set<string>();
  const used = new Set<string>();
  for (const { operationId, tags } of operationsOf(document.paths)) {
    if (seen.has(operationId!)) throw new Error(`Two routes are named ${operationId}: say \`operationId\` in @Route.`);
    seen.add(operationId!);
    for (const tag of tags ?? []) used.add(tag);
  }
  const known = Object.entries(TAGS).filter(([name]) => used.has(name));
  const others = [...used].filter((name) => !(name in TAGS)).map((name) => ({ name }));
  document.tags = [...known.map(([name, description]) => ({ name, description })), ...others];
}

function operationsOf(paths: OpenAPIObject['paths']): Operation[] {
  return Object.values(paths).flatMap((item) =>
    METHODS.flatMap((method) => (item[method] as Operation | undefined) ?? []),
  );
}
