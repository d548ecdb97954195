import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { inSandbox, sandboxUnavailable } from '../jobs/in-sandbox.js';

const LIMIT_MS = 20_000;

export const writeXmlTool = defineKind({
  kind: 'write_xml',
  version: '1.0.0',
  title: 'Write XML',
  description: 'Writes a value as XML text: fields become elements, @fields attributes, lists repeated elements.',
  category: categories.data,
  icon: 'file-code-2',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    value: param(z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]), {
      label: 'Value',
      type: 'object',
      description: 'The content of the outermost element; the entries of a list become item elements.',
    }),
    root: param(z.string().min(1).max(200).default('root'), {
      label: 'Outermost element',
      description: 'The name of the element around everything.',
    }),
    pretty: param(z.boolean().default(true), {
      label: 'Indent',
      description: 'Whether it is written for people to read.',
    }),
  }),
  output: z.object({ text: z.string() }),
  examples: [{ value: { '@id': 7, line: ['kettle', 'cup'] }, root: 'order' }],
  unavailableReason: sandboxUnavailable,
  run: async (document, context) => ({ output: { text: await inSandbox(context, 'write_xml', document, LIMIT_MS) } }),
});
