import { cutText } from '@app/common';
import { compileParams, type ParamsTemplate, type ReferenceUse } from '../references/params-template.js';
import { isSecretName } from '../references/reference.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import type { DefinitionProblem } from '../graph/graph.js';
import type { PlacedNode } from '../graph/node-schema.js';

/** The names of the secrets that the workflow has; `unseen`: whoever asks may not know them. */
export type KnownSecrets = ReadonlySet<string> | 'unseen';

/**
 * Names of secrets that are none, that the workflow does not have, or that stand where people would see the value. What
 * cannot be looked up is a warning.
 */
export function checkSecrets(
  nodes: readonly PlacedNode[],
  templates: readonly ParamsTemplate[],
  kinds: Pick<ToolCatalogue, 'find'> | undefined,
  known: KnownSecrets | undefined,
  errors: DefinitionProblem[],
  warnings: DefinitionProblem[],
): void {
  for (const [index, { node, path }] of nodes.entries()) {
    const tool = kinds?.find(node.kind);
    const own = templates[index]!.uses;
    const within = tool?.opaqueParams ? usesWithin(node.params, tool.opaqueParams) : [];
    for (const use of [...own, ...within]) {
      if (use.secret === null) continue;
      const at = { nodeId: node.id, path: `${path}.${use.path}` };
      // The nodes of a body are handed their params by themselves.
      if (tool?.keepsParams && own.includes(use)) {
        const message = `${node.kind} shows its parameters to people: no secret can stand in them.`;
        errors.push({ ...at, code: 'secret_not_allowed', message });
      }
      const problem = problemOf(use.secret, known);
      if (problem)
        (problem.isWarning ? warnings : errors).push({ ...at, code: problem.code, message: problem.message });
    }
  }
}

function problemOf(name: string, known?: KnownSecrets): { code: string; message: string; isWarning?: true } | null {
  if (!isSecretName(name)) {
    const shown = JSON.stringify(cutText(name, 100));
    const message = `${shown} cannot be the name of a secret: a letter, then letters, digits and underscores.`;
    return { code: 'invalid_secret_name', message };
  }
  if (known === 'unseen') {
    const message = `The secret ${name} has to be set before the workflow runs.`;
    return { code: 'unknown_secret', message, isWarning: true };
  }
  if (!known || known.has(name)) return null;
  return { code: 'unknown_secret', message: `The workflow has no secret ${name}.` };
}

/** In params that hold definitions of their own. */
function usesWithin(params: Record<string, unknown>, names: ReadonlySet<string>): readonly ReferenceUse[] {
  const held = Object.entries(params).filter(([name]) => names.has(name));
  return compileParams(Object.fromEntries(held), () => true).uses;
}
