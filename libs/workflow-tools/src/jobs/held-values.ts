import { readFile } from 'node:fs/promises';
import { type ApartScope, bodyItemOf, type HeldJson, type ReferenceScope } from '@app/workflow-definition/kit';
import { SandboxError } from './sandbox-error.js';

const MB = 1024 * 1024;
/**
 * Text becomes objects that take up to thirty times its bytes, and `JSON.parse` cannot be stopped on its way: what
 * would exhaust the heap of this process is refused before.
 */
const MAX_WEIGHT = 160 * MB;
const OF_A_VALUE = 8;
const OF_A_LIST = 40;
const OF_A_FIELD = 24;

/** What references are looked up in. @throws SandboxError `memory_limit` */
export async function readScope(
  { outputs, payload }: ApartScope,
  warn: (message: string) => void,
): Promise<ReferenceScope & { payload: Record<string, unknown> | null }> {
  let room = MAX_WEIGHT;
  const read = async (held: HeldJson): Promise<unknown> => {
    if ('value' in held) return held.value;
    const text = 'text' in held ? held.text : await readFile(held.path, 'utf8');
    room -= weightOf(text);
    if (room < 0) throw new SandboxError('memory_limit', 'What the node refers to takes too much memory together.');
    return JSON.parse(text) as unknown;
  };
  const values = new Map<string, unknown>();
  for (const [nodeId, held] of Object.entries(outputs)) values.set(nodeId, await read(held));
  const given = payload === null ? null : ((await read(payload)) as Record<string, unknown>);
  const item = bodyItemOf(given);
  return { output: (nodeId) => values.get(nodeId), payload: given, warn, ...(item && { item }) };
}

/** What the objects of a JSON text will take, at most and roughly. Signs within texts count as if they stood outside. */
export function weightOf(text: string): number {
  let weight = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === 0x2c) weight += OF_A_VALUE;
    else if (sign === 0x5b || sign === 0x7b) weight += OF_A_LIST;
    else if (sign === 0x3a) weight += OF_A_FIELD;
  }
  return weight;
}
