import { createHash } from 'node:crypto';
import type { CallState } from './agent-state.js';
import { cutLine } from './bounded-text.js';
import type { Memory } from './memories.js';
import type { AgentTool, ApprovalNeed, Party } from './tool.js';
import type { UserWords } from './user-words.js';

/** Keeps for a conversation whose words it holds, by key, with labels for people. */
export interface HeardParties {
  add(parties: Readonly<Record<string, string>>): Promise<void>;
}

/** What strangers wrote into files and tables that the viewer can read. */
export const DOCUMENTS = { key: 'documents', label: 'documents and tables' };

/** Beyond it they are one. */
const MAX_PARTIES = 100;
const OTHERS = { key: '*', label: 'others' };
/** Larger ones could spell something out. */
const MAX_NUMBER = 1_000;
const MAX_ITEMS = 20;
const MAX_DEPTH = 8;

/** Of calls that are done: whose words the model reads from the next step on. */
export function newlyHeard(known: Readonly<Record<string, string>>, calls: readonly CallState[]) {
  return newParties(
    known,
    calls.flatMap(({ source, heard = [] }) => [...(source ? [source] : []), ...heard]),
  );
}

/** Whose words come with memories: of the conversations that they were learnt in. */
export function heardWith(known: Readonly<Record<string, string>>, memories: readonly Memory[]) {
  // Turns that a former release left behind know nothing of it.
  const parties = memories.flatMap((memory) => Object.entries((memory as Partial<Memory>).heard ?? {}));
  return newParties(
    known,
    parties.map(([key, label]) => ({ key, label })),
  );
}

function newParties(known: Readonly<Record<string, string>>, parties: readonly Party[]): Record<string, string> {
  const heard: Record<string, string> = {};
  for (const party of parties) {
    if (known[party.key] !== undefined || heard[party.key] !== undefined) continue;
    const isFull = Object.keys(known).length + Object.keys(heard).length >= MAX_PARTIES;
    const { key, label } = isFull ? OTHERS : party;
    if (known[key] === undefined) heard[key] = cutLine(label, 100);
  }
  return heard;
}

/**
 * The consents that a call needs because the conversation holds the words of others than those it goes to, one for
 * each: an instruction in there could have written its arguments. Empty where the call goes to nobody, where nobody else
 * was heard, and where it only reads and its arguments say nothing that the user did not say.
 */
export function flowNeeds(
  tool: AgentTool,
  sent: Record<string, unknown>,
  heard: Readonly<Record<string, string>>,
  words: UserWords,
): ApprovalNeed[] {
  const target = tool.targetOf?.(sent);
  if (!target) return [];
  const others = Object.entries(heard).filter(([key]) => key !== target.key);
  if (others.length === 0) return [];
  if (tool.effectsOf(sent) === 'none' && saysNothingNew(sent, tool.inputSchema, words, 0)) return [];
  return others.map(([from, label]) => {
    const flow = createHash('sha256')
      .update(JSON.stringify([from, target.key, tool.name]))
      .digest('hex');
    const summary = `${tool.title}: what goes to ${cutLine(target.label, 200)} may come from ${label}, which was read before.`;
    return { key: `flow:${flow}`, summary };
  });
}

function saysNothingNew(value: unknown, schema: unknown, words: UserWords, depth: number): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (depth > MAX_DEPTH) return false;
  const {
    enum: choices,
    properties = {},
    items,
  } = (schema ?? {}) as {
    enum?: unknown[];
    properties?: Record<string, unknown>;
    items?: unknown;
  };
  if (typeof value === 'number')
    return (Number.isInteger(value) && Math.abs(value) <= MAX_NUMBER) || words.says(String(value));
  if (typeof value === 'string') return value === '' || (choices?.includes(value) ?? false) || words.says(value);
  if (Array.isArray(value))
    return value.length <= MAX_ITEMS && value.every((one) => saysNothingNew(one, items, words, depth + 1));
  return Object.entries(value as object).every(
    ([name, one]) =>
      (Object.hasOwn(properties, name) || words.says(name)) && saysNothingNew(one, properties[name], words, depth + 1),
  );
}
