import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { inSandbox, sandboxUnavailable } from '../jobs/in-sandbox.js';

const LIMIT_MS = 20_000;

export const parseXmlTool = defineKind({
  kind: 'parse_xml',
  version: '1.0.0',
  title: 'Read XML',
  description:
    'Reads XML text (also RSS and Atom) into values: elements become fields, attributes @fields, text beside them #text.',
  category: categories.data,
  icon: 'file-code',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    text: param(z.string().max(4_000_000), { label: 'XML', description: 'The text to read.', type: 'text' }),
    lists: param(z.array(z.string().max(200)).max(100).default([]), {
      label: 'Always lists',
      description: 'Names of elements that become a list even when there is only one.',
    }),
    remove_namespaces: param(z.boolean().default(false), {
      label: 'Leave out namespaces',
      description: 'Whether a:name is read as name.',
    }),
  }),
  output: z.object({ value: z.unknown() }),
  examples: [{ text: '<order id="7"><line>kettle</line></order>', lists: ['line'] }],
  unavailableReason: sandboxUnavailable,
  run: async ({ text, lists, remove_namespaces: removeNamespaces }, context) => ({
    output: { value: await inSandbox(context, 'parse_xml', { text, lists, removeNamespaces }, LIMIT_MS) },
  }),
});
