import type { ToolContext } from '@app/workflow-definition';
import { inSandbox } from '../jobs/in-sandbox.js';

export const PAGE_FORMATS = ['html', 'markdown', 'svg', 'text'] as const;
export type PageFormat = (typeof PAGE_FORMATS)[number];

const RENDER_MS = 10_000;

/** Of what brings none along: readable on a phone, on paper and in the dark. */
const STYLE = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}
img,svg{max-width:100%}table{border-collapse:collapse}th,td{border:1px solid #8886;padding:.3rem .6rem}pre{white-space:pre-wrap}
@media print{body{margin:0;max-width:none}}`;

/** What is published as a page of its own. HTML stays as it is: it is shown in a frame that reaches nothing. */
export async function toPage(
  { title, format, content }: { title: string; format: PageFormat; content: string },
  context: ToolContext,
): Promise<string> {
  if (format === 'html') return content;
  return (
    `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${await bodyOf(format, content, context)}</body></html>`
  );
}

async function bodyOf(format: Exclude<PageFormat, 'html'>, content: string, context: ToolContext): Promise<string> {
  if (format === 'svg') return content;
  if (format === 'text') return `<pre>${escapeHtml(content)}</pre>`;
  return inSandbox(context, 'markdown', { text: content, lineBreaks: false }, RENDER_MS);
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
