import { type HttpResponse, ToolError, toPath, valueAt } from '@app/workflow-definition';
import type { HttpParams } from './http-params.js';
import { headerOf } from './response-body.js';

/** Where the next page is: another address, or the same one with this query parameter. */
export type NextPage = { url: URL } | { query: [name: string, value: string] };

export interface ReadPage {
  response: HttpResponse;
  body: unknown;
  items: unknown[];
}

const DEFAULT_NAMES = { cursor: 'cursor', page: 'page', offset: 'offset' };

/** The query parameter of the first page, where the kind of pages has one. */
export function firstPage({ pagination, page_param: name, first_page: first }: HttpParams): NextPage | null {
  return pagination === 'page' ? { query: [name || DEFAULT_NAMES.page, String(first)] } : null;
}

/** @throws ToolError `items_not_found` */
export function itemsOf(body: unknown, { items_path: path }: HttpParams): unknown[] {
  const found = path === '' ? body : at(body, path);
  if (Array.isArray(found)) return found as unknown[];
  // Some hosts leave the list out of an empty page.
  if (found === undefined || found === null) return [];
  throw new ToolError('items_not_found', 'There is no list of items where items_path says.', false);
}

/**
 * What follows a page; null when it was the last.
 * @param pages how many there are so far, this one included
 * @param seen how many items there are so far
 * @throws ToolError `pagination_refused` when the host sends the caller elsewhere
 */
export function nextPage(params: HttpParams, page: ReadPage, pages: number, seen: number): NextPage | null {
  const { pagination, page_param: name, next_path: path, first_page: first } = params;
  switch (pagination) {
    case 'none':
      return null;
    case 'link_header':
      return toUrl(nextLink(headerOf(page.response, 'link')), page.response);
    case 'next_url':
      return toUrl(at(page.body, path), page.response);
    case 'cursor': {
      const cursor = at(page.body, path);
      const isThere = (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number';
      return isThere ? { query: [name || DEFAULT_NAMES.cursor, String(cursor)] } : null;
    }
    case 'page':
      return page.items.length > 0 ? { query: [name || DEFAULT_NAMES.page, String(first + pages)] } : null;
    case 'offset':
      return page.items.length > 0 ? { query: [name || DEFAULT_NAMES.offset, String(seen)] } : null;
  }
}

function at(value: unknown, path: string): unknown {
  return path === '' ? undefined : valueAt(value, toPath(path));
}

/** The request goes there with its credentials, so it has to be the same host. */
function toUrl(target: unknown, { url }: HttpResponse): NextPage | null {
  if (typeof target !== 'string' || target === '') return null;
  const next = URL.parse(target, url.href);
  if (next?.origin !== url.origin)
    throw new ToolError('pagination_refused', 'The next page is on another host, or is no address.', false);
  return { url: next };
}

/** RFC 8288, as far as hosts use it for pages. */
function nextLink(header: string): string | null {
  for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i.test(parameters)) return target ?? null;
  }
  return null;
}
