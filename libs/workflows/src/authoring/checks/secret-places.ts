import { nearestNames, type ReferenceUse } from '@app/workflow-definition';
import type { Catalogued } from '../catalogued.js';
import type { Json } from '../json.js';

/** Kinds that sign in or sign with a secret; any other one would show it to people or keep it. */
const SIGNING = new Set(['http_request', 'webhook_out', 'mcp_tool', 'crypto']);
const SHOWN = 8;

/**
 * Secrets that touched nodes name: whether the workflow has them, and whether they stand where they are used and not
 * where people would read them; and values that stand where a secret belongs.
 * @returns how many were looked up
 */
export function checkSecretPlaces(
  kind: string,
  params: Json,
  uses: readonly ReferenceUse[],
  secrets: readonly string[] | null,
  { tools }: Catalogued,
  report: (code: string, path: string, message: string) => void,
): number {
  const named = uses.filter(({ secret }) => secret !== null);
  for (const { secret, path } of named) {
    if (!SIGNING.has(kind))
      report(
        'secret_shown',
        path,
        `${kind} would show the value of the secret ${secret} to people. Secrets are for signing in, in http_request, webhook_out and mcp_tool: leave it out.`,
      );
    else if (secrets !== null && !secrets.includes(secret!)) {
      const near = nearestNames(secret!, secrets, SHOWN);
      const known = near.length > 0 ? near : secrets.slice(0, SHOWN);
      const hint = known.length > 0 ? `It has: ${known.join(', ')}.` : 'It has none.';
      report(
        'unknown_secret',
        path,
        `The workflow has no secret ${secret}. ${hint} If none of them is meant, leave it out and ask for it in "questions".`,
      );
    }
  }
  for (const { name, type } of tools.find((tool) => tool.kind === kind)?.params ?? []) {
    const value = params[name];
    if (type !== 'secret' || typeof value !== 'string' || value.trim() === '' || value.includes('{{')) continue;
    report(
      'literal_secret',
      `params.${name}`,
      'A secret is never written as a value: name one of the workflow, as {{_secret.<name>}}, and ask for it in "questions" where there is none.',
    );
  }
  return named.length;
}
