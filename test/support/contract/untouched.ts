import type { Operation } from './description.js';
import { build, type Cast } from './build.js';
import { politeAttack } from './attacks.js';
import { sendRaw } from './wire-call.js';

/** What changes by itself: addresses and sizes of the moment, and what counts or names sign-ins. */
const PASSING =
  /^\/(users\/(me|storage)|api\/v1\/auth\/sessions|oauth|healthz|readyz|version|audit|\.well-known|mcp|media\/sign)|\/preview\/|node-webhook/;
const SIGNED = /(sig|signature|expires|exp|token)=[\w.~-]+/g;
/** When something was looked at, not when it changed. */
const LOOKED = /"measured_at":"[^"]*"/g;

/** All that somebody can read of what is theirs, by operation, as statuses and bodies. */
export async function allThatIsSeen(
  baseUrl: string,
  operations: readonly Operation[],
  cast: Cast,
): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const operation of operations) {
    const { method, path, responses } = operation;
    const isRead = method === 'GET' && responses['200']?.content?.['application/json'] !== undefined;
    if (!isRead || PASSING.test(path)) continue;
    const { status, text } = await sendRaw(baseUrl, build(politeAttack, operation, cast));
    seen[path] = `${status} ${text.replaceAll(SIGNED, '$1').replaceAll(LOOKED, '')}`;
  }
  return seen;
}
