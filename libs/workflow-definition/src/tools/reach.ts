import { isObject, type Kinds, writtenNodes } from './node-contents.js';

/** What a param names. `scope` narrows a search, so that an empty one means everything. */
export type ResourceType = 'document' | 'file' | 'table' | 'extracted_table' | 'workflow' | 'scope';

/** What a node can get at beyond its inputs. */
export interface NodeReach {
  /** Things of the person whom it acts as: documents, tables, files, tool servers, messages, agents, workflows. */
  own: boolean;
  /** Params that say which of them. */
  resources: Readonly<Record<string, ResourceType>>;
  /** Where it sends to, as the author wrote it. */
  addresses: readonly unknown[];
  /** Kinds that work as parts of it. */
  parts: readonly { kind: string; params: Record<string, unknown> }[];
}

export const NO_REACH: NodeReach = { own: false, resources: {}, addresses: [], parts: [] };

/** What somebody agrees to who receives a workflow as an app. Hosts may hold `*` for any. */
export interface ReachSummary {
  kinds: string[];
  hosts: string[];
}

export const ANY_HOST = '*';
const MAX_PARTS_DEPTH = 5;
const summaries = new WeakMap<object, ReachSummary>();

/** The kinds of a definition that reach things of their own people, and the hosts that it sends to; bodies included. */
export function summariseReach(jsonSpec: Record<string, unknown>, kinds: Kinds): ReachSummary {
  const known = summaries.get(jsonSpec);
  if (known) return known;
  const found = { kinds: new Set<string>(), hosts: new Set<string>() };
  for (const { node } of writtenNodes(jsonSpec, kinds))
    collect(String(node.kind), isObject(node.params) ? node.params : {}, kinds, found, 0);
  const summary = { kinds: [...found.kinds].toSorted(), hosts: [...found.hosts].toSorted() };
  summaries.set(jsonSpec, summary);
  return summary;
}

/** Whether a node, or a part of it, reaches things of the person whom it acts as. Its body is not looked at. */
export function reachesOwnThings(node: Record<string, unknown>, kinds: Kinds): boolean {
  const found = { kinds: new Set<string>(), hosts: new Set<string>() };
  collect(String(node.kind), isObject(node.params) ? node.params : {}, kinds, found, 0);
  return found.kinds.size > 0;
}

/** What a kind with these params reaches; a kind that is not known reaches nothing, because it does not run. */
export function reachOf(kind: string, params: Record<string, unknown>, kinds: Kinds): NodeReach {
  return kinds.find(kind)?.reachOf?.(params) ?? NO_REACH;
}

/** Whether what was agreed to covers what is needed. Nothing need be agreed to where no own thing is reached. */
export function coversReach(agreed: ReachSummary | null, needed: ReachSummary): boolean {
  if (needed.kinds.length === 0) return true;
  if (!agreed) return false;
  const isHostCovered = (host: string) => agreed.hosts.includes(host) || agreed.hosts.includes(ANY_HOST);
  return needed.kinds.every((kind) => agreed.kinds.includes(kind)) && needed.hosts.every(isHostCovered);
}

/** The host of an address as the author wrote it, with its port; `*` where a run decides it. */
export function hostOf(address: unknown): string {
  if (typeof address !== 'string') return ANY_HOST;
  const open = address.indexOf('{{');
  // A reference may only come after the host has ended; spaces and backslashes could hide a later end.
  const fixed =
    open < 0 ? address.trim() : (/^\s*https?:\/\/[^/?#\\\s@]+[/?#]/i.exec(address.slice(0, open))?.[0] ?? '');
  return URL.canParse(fixed) ? new URL(fixed).host : ANY_HOST;
}

function collect(
  kind: string,
  params: Record<string, unknown>,
  kinds: Kinds,
  found: { kinds: Set<string>; hosts: Set<string> },
  depth: number,
): void {
  const { own, addresses, parts } = reachOf(kind, params, kinds);
  if (own) found.kinds.add(kind);
  for (const address of addresses) found.hosts.add(hostOf(address));
  if (depth < MAX_PARTS_DEPTH) for (const part of parts) collect(part.kind, part.params, kinds, found, depth + 1);
}
