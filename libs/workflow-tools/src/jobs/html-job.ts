import { cutText } from '@app/common';
import { selectAll } from 'css-select';
import type { AnyNode, Document, Element } from 'domhandler';
import { getAttributeValue, getInnerHTML, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { SandboxError } from './sandbox-error.js';

export interface HtmlField {
  name: string;
  /** Empty: the item itself. */
  selector: string;
  take: 'text' | 'html' | 'attribute';
  attribute: string;
  all: boolean;
}

export interface HtmlInput {
  html: string;
  itemSelector: string;
  fields: HtmlField[];
  limit: number;
}

export interface HtmlOutput {
  items: Record<string, unknown>[];
  count: number;
  title: string;
  text: string;
}

const INVISIBLE = new Set(['script', 'style', 'noscript', 'template', 'head']);
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
const CELLS = new Set(['td', 'th']);
const MAX_DEPTH = 2_000;

/** Takes fields out of a page by CSS selectors, and its readable text. @throws SandboxError `invalid_selector`, `invalid_html`. */
export function parseHtml({ html, itemSelector, fields, limit }: HtmlInput): HtmlOutput {
  const page = parseDocument(html);
  requireShallow(page);
  const chosen: (Document | Element)[] = itemSelector === '' ? [page] : select(itemSelector, page).slice(0, limit);
  const items = fields.length === 0 ? [] : chosen.map((node) => itemOf(node, fields));
  const title = select('title', page)[0];
  return { items, count: items.length, title: title ? tidy(textContent(title)) : '', text: readableText(page) };
}

function itemOf(node: Document | Element, fields: readonly HtmlField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const found = field.selector === '' ? [node] : select(field.selector, node);
      const values = (field.all ? found : found.slice(0, 1)).map((one) => valueOf(one, field));
      return [field.name, field.all ? values : (values[0] ?? null)];
    }),
  );
}

function valueOf(node: Document | Element, { take, attribute }: HtmlField): string | null {
  if (take === 'html') return getInnerHTML(node, { encodeEntities: 'utf8' });
  if (take === 'text') return tidy(readableText(node));
  return 'attribs' in node ? (getAttributeValue(node, attribute) ?? null) : null;
}

function select(selector: string, within: Document | Element): Element[] {
  try {
    return selectAll<AnyNode, Element>(selector, within.children);
  } catch (cause) {
    throw new SandboxError('invalid_selector', `${cutText(selector, 100)} is not a CSS selector.`, { cause });
  }
}

/** What a reader sees, with a line for each block. */
function readableText(root: Document | Element): string {
  let text = '';
  const visit = (node: AnyNode): void => {
    if (node.type === 'text') {
      text += node.data.replace(/\s+/g, ' ');
      return;
    }
    if (!('children' in node) || ('name' in node && INVISIBLE.has(node.name))) return;
    const isBlock = 'name' in node && BLOCKS.has(node.name);
    if (isBlock) text += '\n';
    for (const child of node.children) visit(child);
    if (isBlock) text += '\n';
    else if ('name' in node && CELLS.has(node.name)) text += ' ';
  };
  visit(root);
  const lines = text.split('\n').map(tidy);
  return lines.filter((line) => line !== '').join('\n');
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Deeper pages are not written by people, and would exhaust the stack. */
function requireShallow(page: Document): void {
  let level: AnyNode[] = [page];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH)
      throw new SandboxError('invalid_html', `HTML is nested at most ${MAX_DEPTH} levels deep here.`);
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
}
