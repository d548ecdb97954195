import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { inSandbox, sandboxUnavailable } from '../jobs/in-sandbox.js';

const LIMIT_MS = 20_000;

const fieldSchema = z.object({
  name: z.string().min(1).max(100),
  selector: z.string().max(500).default(''),
  take: z.enum(['text', 'html', 'attribute']).default('text'),
  attribute: z.string().max(100).default('href'),
  all: z.boolean().default(false),
});

export const parseHtmlTool = defineKind({
  kind: 'parse_html',
  version: '1.0.0',
  title: 'Read HTML',
  description: 'Takes values out of a web page by CSS selectors, and gives its readable text.',
  category: categories.data,
  icon: 'code-xml',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    html: param(z.string().max(4_000_000), {
      label: 'HTML',
      description: 'The page or the fragment to read.',
      type: 'text',
    }),
    item_selector: param(z.string().max(500).default(''), {
      label: 'One item per',
      description: 'A CSS selector, like table tr; empty: the page is the one item.',
    }),
    fields: param(z.array(fieldSchema).max(50).default([]), {
      label: 'Fields',
      description:
        'Each with a name, a selector within the item, what to take (text, html or attribute with its name) and whether all matches.',
    }),
    limit: param(z.coerce.number().int().min(1).max(10_000).default(1_000), {
      label: 'At most so many items',
      description: 'Further matches are left out.',
      type: 'integer',
    }),
  }),
  output: z.object({
    items: z.array(z.record(z.string(), z.unknown())),
    count: z.int(),
    title: z.string(),
    text: z.string(),
  }),
  examples: [
    {
      html: '<ul><li><a href="/a">First</a></li></ul>',
      item_selector: 'li',
      fields: [
        { name: 'title', selector: 'a' },
        { name: 'link', selector: 'a', take: 'attribute', attribute: 'href' },
      ],
    },
  ],
  unavailableReason: sandboxUnavailable,
  run: async ({ html, item_selector: itemSelector, fields, limit }, context) => ({
    output: await inSandbox(context, 'parse_html', { html, itemSelector, fields, limit }, LIMIT_MS),
  }),
});
