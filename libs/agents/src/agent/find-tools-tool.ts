import { findTools, type LikenessOf, type ToolQuery } from '../tool-search/find-tools.js';
import { ToolIndex } from '../tool-search/tool-index.js';
import { cutLine } from './bounded-text.js';
import type { AgentTool, Party } from './tool.js';

export const FIND_TOOLS = 'find_tools';

const FOUND = 8;
const NAMED_SERVERS = 30;
const NAMED_OWN = 40;
/** In the place of a server. */
const OWN = 'the platform';
const LISTED_DESCRIPTION = 300;
const INSTRUCTIONS = 1_500;
/** Servers whose instructions come with one result: those of the tools that fit best. */
const SPEAKING = 2;
/** Where no tool covers so much of the wish, names are shown of all: what is meant by it takes a step of thought. */
const COVERED = 0.7;
/** Of such names, some 2,000 tokens. */
const MAX_NAMES = 9_000;

/** What a server says of how its tools are to be used: its word, which nobody has accepted. */
export interface ServerInstructions {
  text: string;
  party: Party;
}

export interface FinderOptions {
  /** By the label of the server. */
  instructions?: ReadonlyMap<string, ServerInstructions>;
  likeness?: { of: LikenessOf; weight: number };
}

/**
 * Finds tools whose definitions are not shown. What servers say stands in its results alone, which are marked as data.
 * @param own names of those that are the platform's own: they are told, since there are few
 */
export function findToolsTool(
  deferred: readonly AgentTool[],
  options: FinderOptions,
  own: readonly string[] = [],
): AgentTool {
  const index = new ToolIndex(deferred);
  const serverOf = ({ name, server = '' }: AgentTool) => (own.includes(name) ? OWN : server);
  const counts = countByServer(deferred, serverOf);
  return {
    name: FIND_TOOLS,
    title: 'Find tools',
    description: `Finds ${told(counts, own)}. Their definitions are not shown before; what is found can be called from the next step on. Not for finding files, messages or other contents: that is what the tools themselves do.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, in a few words; or names of tools.' },
        words: {
          type: 'string',
          description:
            'Always: the same in English as such tools are named, whatever the language of the user: a verb and nouns, like "create issue comment" for "tell the developers that it is fixed".',
        },
        server: { type: 'string', description: 'Only tools of this server.' },
      },
      required: ['query'],
    },
    effectsOf: () => 'none',
    approvalFor: () => null,
    run: async ({ query, words, server }) => {
      const wanted = typeof server === 'string' ? server.trim().toLowerCase() : '';
      const ofServer = deferred.filter((tool) => wanted !== '' && (tool.server ?? '').toLowerCase() === wanted);
      const asked = { query: String(query), ...(typeof words === 'string' && { words }) };
      const searched = ofServer.length > 0 ? new ToolIndex(ofServer) : index;
      const found = await findTools(searched, asked, FOUND, options.likeness);
      const tools = found.map(({ name, title, description }) => ({
        name,
        title,
        description: cutLine(description, LISTED_DESCRIPTION),
      }));
      const named = [...new Set((found.length > 0 ? found : deferred).map(serverOf))];
      // Each that speaks is one more whose words the conversation holds.
      const speaking = named.filter((label) => options.instructions?.has(label)).slice(0, SPEAKING);
      const names = others(searched, asked, found, serverOf);
      const output = {
        tools,
        ...names,
        servers: named.slice(0, NAMED_SERVERS).map((label) => describe(label, speaking)),
      };
      const heard = speaking.flatMap((label) => options.instructions?.get(label)?.party ?? []);
      return { output, loads: found.map(({ name }) => name), heard };
    },
  };

  function describe(server: string, speaking: readonly string[]) {
    const instructions = speaking.includes(server) ? (options.instructions?.get(server)?.text ?? '') : '';
    return {
      server,
      tools: counts.get(server) ?? 0,
      ...(instructions !== '' && { says: instructions.slice(0, INSTRUCTIONS).toWellFormed() }),
    };
  }
}

/** Of tools that were not found, by server, to be asked for by name. */
function others(
  index: ToolIndex<AgentTool>,
  { query, words = '' }: ToolQuery,
  found: readonly AgentTool[],
  serverOf: (tool: AgentTool) => string,
): { not_what_was_meant?: { hint: string; names: Record<string, string> } } {
  if (index.coverage(words.trim() === '' ? query : words) >= COVERED) return {};
  const names: Record<string, string> = {};
  let [left, unnamed] = [MAX_NAMES, 0];
  for (const tool of index.tools) {
    if (found.includes(tool)) continue;
    const { name } = tool;
    const server = serverOf(tool);
    left -= name.length + 1;
    if (left < 0) unnamed += 1;
    else names[server] = `${names[server] ?? ''} ${name}`.trimStart();
  }
  if (Object.keys(names).length === 0) return {};
  const rest = unnamed > 0 ? ` There are ${unnamed} more; name a server to see its own.` : '';
  const hint = `Few words of the wish fit these tools. If none does it, ask again with the name of one of these as query.${rest}`;
  return { not_what_was_meant: { hint, names } };
}

function countByServer(tools: readonly AgentTool[], serverOf: (tool: AgentTool) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(serverOf(tool), (counts.get(serverOf(tool)) ?? 0) + 1);
  return counts;
}

function told(counts: ReadonlyMap<string, number>, own: readonly string[]): string {
  const others = [...counts].filter(([server]) => own.length === 0 || server !== OWN);
  const servers = others.slice(0, NAMED_SERVERS).map(([server, count]) => `${cutLine(server, 60)} (${count})`);
  const more = others.length > servers.length ? ` and ${others.length - servers.length} more servers` : '';
  const ofServers = `tools of the user's connected servers: ${servers.join(', ')}${more}`;
  if (own.length === 0) return ofServers;
  const ofOwn = `further tools of the platform: ${own.slice(0, NAMED_OWN).join(', ')}`;
  return others.length === 0 ? ofOwn : `${ofOwn}; and ${ofServers}`;
}
