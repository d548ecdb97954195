import { type OutletDeclaration, outletsOf, targetsAt } from './outlet.js';
import type { NodeProblem } from './tool.js';

const SHOWN = 5;

/** Next nodes that no answer, case or class names run whatever is chosen: allowed, but seldom meant. */
export function checkUnnamedNext(
  declarations: readonly OutletDeclaration[],
  params: Record<string, unknown>,
  next: readonly string[],
): NodeProblem[] {
  if (next.length === 0 || !declarations.some(({ isAside }) => !isAside)) return [];
  const named = new Set(outletsOf(declarations, params).flatMap((outlet) => targetsAt(outlet, params)));
  const unnamed = next.filter((id) => !named.has(id));
  if (unnamed.length === 0) return [];
  const ids = unnamed.slice(0, SHOWN).map((id) => JSON.stringify(id));
  const more = unnamed.length > SHOWN ? ` and ${unnamed.length - SHOWN} more` : '';
  const outlets = declarations.map(({ param }) => param).join(', ');
  const message = `${ids.join(', ')}${more}: named in none of ${outlets}, so followed whatever is chosen.`;
  return [{ code: 'next_without_outlet', path: 'next', message, isWarning: true }];
}
