import { listAll } from '../client/list-all.js';
import type { McpSession } from '../client/mcp-session.js';
import { MAX_TOOLS, readTools } from '../tools/tool-definition.js';
import { cutText } from '../tools/tool-result.js';
import type { Listing } from './server-outcomes.js';

const PAGE_MS = 20_000;
const MAX_INSTRUCTIONS = 4_000;

/** The tools of a server, and what else it tells of itself. @throws McpFailure; the signal's reason */
export async function listTools(session: McpSession, slug: string, signal: AbortSignal): Promise<Listing> {
  const { kind, protocolVersion, serverInfo, capabilities } = session;
  const about = {
    transport: kind,
    protocolVersion,
    serverInfo: { ...infoOf(serverInfo), ...toldBy(session.instructions) },
  };
  if (!capabilities.tools) return { ...about, tools: [], note: 'The server offers no tools.' };
  const query = { method: 'tools/list', list: 'tools', max: MAX_TOOLS };
  const { items, isCut } = await listAll(session, query, { signal, timeoutMs: PAGE_MS });
  return { ...about, ...readTools(slug, items, isCut) };
}

function infoOf(info: McpSession['serverInfo']): Listing['serverInfo'] {
  const { name, title, version } = info ?? {};
  const told = { name: short(name), title: short(title), version: short(version) };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}

function toldBy(instructions: string | undefined): { instructions?: string } {
  const { text } = cutText(instructions ?? '', MAX_INSTRUCTIONS);
  return text.trim() === '' ? {} : { instructions: text.trim() };
}

function short(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, 200) : undefined;
}
