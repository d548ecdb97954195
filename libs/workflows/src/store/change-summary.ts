import { cutText } from '@app/common';
import { type DefinitionDiff, diffDefinitions } from '@app/workflow-definition';

export interface DefinitionState {
  name: string;
  jsonSpec: Record<string, unknown>;
  vueflowJson: Record<string, unknown>;
}

const MAX_NAMES = 3;
const MAX_NAME_LENGTH = 40;

/** One line on what a save changed, like `Added Ask and Mail. Changed Fetch.` */
export function summariseChanges(before: DefinitionState | null, after: DefinitionState): string {
  const names = new Map([...(before ? namesOf(before.jsonSpec) : []), ...namesOf(after.jsonSpec)]);
  if (!before) return `Created with ${count(namesOf(after.jsonSpec).length, 'node')}.`;
  const diff = diffDefinitions(before.jsonSpec, after.jsonSpec);
  const { added, removed, changed } = diff.nodes;
  const sentences = [
    ...(before.name === after.name ? [] : [`Renamed to ${quote(after.name)}.`]),
    ...sentence('Added', added, names),
    ...sentence('Removed', removed, names),
    ...sentence(
      'Changed',
      changed.filter(({ paths }) => !paths.every(isEdgePath)).map(({ id }) => id),
      names,
    ),
    ...rewired(diff),
  ];
  if (sentences.length > 0) return sentences.join(' ');
  if (diff.paths.some((path) => path !== 'name')) return 'Changed the settings of the definition.';
  return JSON.stringify(before.vueflowJson) === JSON.stringify(after.vueflowJson)
    ? 'No changes.'
    : 'Changed the layout.';
}

/** Connections between nodes that were there before and still are; the others go without saying. */
function rewired({ nodes, edges }: DefinitionDiff): string[] {
  const strange = new Set([...nodes.added, ...nodes.removed]);
  const own = [...edges.added, ...edges.removed].filter(
    ({ source, target }) => !strange.has(source) && !strange.has(target),
  );
  return own.length > 0 ? [`Rewired ${count(own.length, 'connection')}.`] : [];
}

function isEdgePath(path: string): boolean {
  return /^(next|error_next|requires)\b/.test(path);
}

function sentence(verb: string, ids: readonly string[], names: ReadonlyMap<string, string>): string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, MAX_NAMES).map((id) => names.get(id) ?? id);
  const rest = ids.length - shown.length;
  if (rest > 0) shown.push(`${rest} more`);
  const last = shown.pop();
  return [`${verb} ${shown.length > 0 ? `${shown.join(', ')} and ` : ''}${last}.`];
}

function namesOf({ nodes }: Record<string, unknown>): [string, string][] {
  const list: unknown[] = Array.isArray(nodes) ? nodes : [];
  return list.flatMap((node): [string, string][] => {
    if (typeof node !== 'object' || node === null || !('id' in node)) return [];
    const name = 'name' in node && typeof node.name === 'string' && node.name !== '' ? node.name : String(node.id);
    return [[String(node.id), cutText(name, MAX_NAME_LENGTH)]];
  });
}

function quote(name: string): string {
  return `“${cutText(name, 80)}”`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
