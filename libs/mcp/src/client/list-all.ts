import { z } from 'zod';
import type { McpSession, RequestLimits } from './mcp-session.js';

const MAX_PAGES = 100;
const MAX_CURSOR = 8192;

export interface WholeList {
  /** As the server gave them, not looked at yet. */
  items: unknown[];
  /** Whether the server has more than were asked for. */
  isCut: boolean;
}

/**
 * Everything that a server lists, page by page.
 * @param list such as `tools`, asked for by `tools/list`
 * @throws McpFailure; SessionLostError; the signal's reason
 */
export async function listAll(
  session: McpSession,
  { method, list, max }: { method: string; list: string; max: number },
  limits: RequestLimits,
): Promise<WholeList> {
  const schema = z.looseObject({ [list]: z.array(z.unknown()).default([]), nextCursor: z.unknown().optional() });
  const seen = new Set<string>();
  const items: unknown[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const page = await session.request({ method, ...params }, schema, limits);
    items.push(...(page[list] as unknown[]));
    const { nextCursor } = page;
    cursor = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined;
    // The same page for ever, or a cursor that no request can carry.
    if (cursor !== undefined && (seen.has(cursor) || cursor.length > MAX_CURSOR)) break;
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined && items.length < max && seen.size < MAX_PAGES);
  return { items: items.slice(0, max), isCut: items.length > max || cursor !== undefined };
}
