import type { OpenAPIObject } from '@nestjs/swagger';
import { Examples } from './examples.js';
import type { Operation } from './request-parts.js';
import type { Schema } from './schema-2020.js';

type Media = { schema?: Schema; example?: unknown };
type Body = { content?: Record<string, Media> } | undefined;

const RAW: Readonly<Record<string, unknown>> = {
  'text/event-stream': 'id: 1\nevent: delta\ndata: {"text":"In Oslo the limit is 190 euros."}\n\n',
  'text/plain': '',
  'text/html': '<!doctype html><title>Atrium</title>',
};

/** Gives every body of a request and of a successful answer an example, unless its route names one. */
export function addExamples({ paths, components }: OpenAPIObject): void {
  const examples = new Examples((components?.schemas ?? {}) as unknown as Record<string, Schema>);
  const fill = (body: Body, use: 'request' | 'response') => {
    for (const [type, media] of Object.entries(body?.content ?? {}))
      if (media.example === undefined && media.schema) media.example = RAW[type] ?? examples.of(media.schema, use);
  };
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item) as Operation[])) {
    fill(operation.requestBody as Body, 'request');
    for (const [status, response] of Object.entries(operation.responses))
      if (Number(status) < 300) fill(response as Body, 'response');
  }
}
