import type { INestApplicationContext, INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RouteCatalog, type CatalogedRoute } from '../http/route-catalog.js';
import { errorResponses, errorSchemas } from './error-responses.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

const operationId = (controller: string, method: string) => `${controller}.${method}`;

const builder = () =>
  new DocumentBuilder()
    .setTitle('Atrium')
    .setDescription(
      'Accounts, document stores with cited answers, agents and workflows. Paths end with a slash except where shown. ' +
        'Requests are JSON; forms with the same field names are taken too. Every answer carries `X-Request-Id`.',
    )
    .setVersion('0.1.0')
    .addSecurity('Token', {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: '`Token <auth_token>`, from POST /api/v1/token/login/',
    })
    .addSecurityRequirements('Token')
    .build();

/** The description of every route, from the code. Works on an app that was created in preview mode. */
export function buildDocument(app: INestApplication | INestApplicationContext): OpenAPIObject {
  const catalog = new RouteCatalog(app.get(ModulesContainer));
  const document = SwaggerModule.createDocument(app as INestApplication, builder(), {
    operationIdFactory: operationId,
    deepScanRoutes: true,
  });
  const byId = new Map(catalog.routes.map((route) => [operationId(route.controller.name, route.handler), route]));
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const declared = METHODS.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      const route = operation && byId.get(operation.operationId ?? '');
      if (!operation || !route) return [];
      complete(operation, route);
      return [route];
    });
    const written = declared[0] ? asTemplate(declared[0].path) : path;
    paths[written] = { ...paths[written], ...item };
  }
  document.paths = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...errorSchemas } };
  return document;
}

/** Swagger drops trailing slashes; the catalogue knows the path as it was declared. */
function asTemplate(path: string): string {
  return path.replace(/[:*]([A-Za-z_]\w*)/g, '{$1}');
}

function complete(operation: Operation, cataloged: CatalogedRoute): void {
  const { route, isPublic } = cataloged;
  if (isPublic) operation.security = [];
  else
    (operation as Operation & { 'x-scope'?: string | null })['x-scope'] =
      route.scope === undefined ? null : [route.scope].flat().join(' | ');
  operation.responses = { ...operation.responses, ...errorResponses(cataloged) } as Operation['responses'];
  if (route.startsSomething && !isPublic)
    operation.parameters = [
      ...(operation.parameters ?? []),
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'A repeated call with the same key and body gets the first answer, for 24 hours.',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      },
    ];
  if (route.consumes && !operation.requestBody)
    operation.requestBody = { required: true, content: { [route.consumes]: { schema: { type: 'object' } } } };
}
