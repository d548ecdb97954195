import type { CatalogueEntry } from '@app/workflow-definition';

/** What the schemas of the kinds in one prompt come to, about 10,000 tokens. */
const MAX_SCHEMAS = 40_000;
/** Said of every number, and of use to nobody who writes one. */
const NOISE = new Set(['$schema', 'pattern', 'propertyNames', 'format']);

/** Every kind in a line: what it does, and what it cannot do without. */
export function kindLines(tools: readonly CatalogueEntry[]): string {
  return tools
    .map(({ kind, name, description, params, is_entry: isEntry, is_branching: branches }) => {
      const needed = params.filter(({ required }) => required).map((param) => param.name);
      const marks = `${isEntry ? ' [entry]' : ''}${branches ? ' [branching]' : ''}`;
      return `- ${kind}${marks} (${name}): ${description}${needed.length > 0 ? ` Needs ${needed.join(', ')}.` : ''}`;
    })
    .join('\n');
}

/** The schemas of kinds, those first that are surely needed, as many as fit. */
export function kindSchemas(
  tools: readonly CatalogueEntry[],
  kinds: readonly string[],
  room = MAX_SCHEMAS,
): { text: string; given: Set<string> } {
  const given = new Set<string>();
  const lines: string[] = [];
  let left = room;
  for (const kind of new Set(kinds)) {
    const tool = tools.find((known) => known.kind === kind);
    if (!tool) continue;
    const line = JSON.stringify({
      kind,
      entry: tool.is_entry,
      branching: tool.is_branching,
      params: compact(tool.params_schema),
      output: compact(tool.output_schema),
    });
    if (line.length > left) continue;
    left -= line.length;
    given.add(kind);
    lines.push(line);
  }
  return { text: lines.join('\n'), given };
}

function compact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(compact);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key, value]) => {
    if (typeof value === 'object' && key !== 'propertyNames') return true;
    return !NOISE.has(key) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
  });
  return Object.fromEntries(entries.map(([key, value]) => [key, compact(value)]));
}
