import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { inSandbox, sandboxUnavailable } from '../jobs/in-sandbox.js';

const LIMIT_MS = 10_000;

export const markdownToHtmlTool = defineKind({
  kind: 'markdown_to_html',
  version: '1.0.0',
  title: 'Markdown to HTML',
  description: 'Turns Markdown, as models write it, into HTML for mails and pages. Scripts and styles are taken out.',
  category: categories.data,
  icon: 'heading',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    text: param(z.string().max(1_000_000), {
      label: 'Markdown',
      description: 'The text to turn into HTML. Markup that could run scripts is left out.',
      type: 'text',
    }),
    line_breaks: param(z.boolean().default(false), {
      label: 'Keep single line breaks',
      description: 'Whether a single line break is shown as one.',
    }),
  }),
  output: z.object({ html: z.string() }),
  examples: [{ text: '# Report\n\nAll **well**.' }],
  unavailableReason: sandboxUnavailable,
  run: async ({ text, line_breaks: lineBreaks }, context) => ({
    output: { html: await inSandbox(context, 'markdown', { text, lineBreaks }, LIMIT_MS) },
  }),
});
