import { isDictionary } from '@app/common';
import { nearestName } from '@app/workflow-definition';
import { cutLine } from './bounded-text.js';
import type { AgentTool } from './tool.js';

/** So many are enough to see that another tool was meant. */
const MAX_TOLD = 10;
const MAX_DEPTH = 8;

interface Unknown {
  path: string;
  /** Those that stand there instead. */
  known: string[];
  near: string | null;
}

/**
 * Arguments that the schema of the tool leaves no place for, in words for the model; null when there are none. Where a
 * schema is open (`additionalProperties` of a connected server, free parameters) nothing is unknown; nor is what says
 * nothing.
 */
export function unknownArguments(tool: AgentTool, input: Record<string, unknown>): string | null {
  const found: Unknown[] = [];
  look(tool.inputSchema, input, '', 0, found);
  if (found.length === 0) return null;
  const told = found.slice(0, MAX_TOLD).map(({ path, near }) => {
    const name = JSON.stringify(cutLine(path, 100));
    return near === null ? name : `${name} (did you mean ${JSON.stringify(near)}?)`;
  });
  const more = found.length > MAX_TOLD ? ', …' : '';
  const { path, known } = found[0]!;
  const place = path.replace(/[^.]*$/, '').slice(0, -1);
  const takes = known.length === 0 ? 'nothing' : known.join(', ');
  return `The call was not carried out: ${tool.name} has no ${told.join(', ')}${more}. ${place === '' ? 'It' : cutLine(place, 100)} takes: ${takes}.`;
}

function look(schema: unknown, value: unknown, path: string, depth: number, found: Unknown[]): void {
  if (!isDictionary(schema) || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(schema.items, item, `${path}[${index}]`, depth + 1, found);
    return;
  }
  const { properties, additionalProperties: others, patternProperties: patterns } = schema;
  if (!isDictionary(value) || (properties !== undefined && !isDictionary(properties))) return;
  const known = Object.keys(properties ?? {});
  for (const [name, item] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (Object.hasOwn(properties ?? {}, name)) look(properties![name], item, at, depth + 1, found);
    // What names by patterns are is for whoever wrote them to say.
    else if (others === false && patterns === undefined && item !== null && item !== undefined)
      found.push({ path: at, known, near: nearestName(name, known) });
  }
}
