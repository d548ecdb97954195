import { compileParams } from '../references/params-template.js';

/** The ids of the nodes that name a secret, in bodies of theirs too, by the secret's name. */
export function secretUses(nodes: readonly { id: string; params: Record<string, unknown> }[]): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  for (const { id, params } of nodes) {
    for (const name of compileParams(params, () => true).secretNames) uses.set(name, [...(uses.get(name) ?? []), id]);
  }
  return uses;
}
