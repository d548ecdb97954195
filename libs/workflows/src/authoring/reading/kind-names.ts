import { type CatalogueEntry, nearestName, plainly } from '@app/workflow-definition';
import { KIND_SYNONYMS } from './synonyms.js';

/** The kind that a name means: itself, in other letters, its title, or what others call it; else as it is. */
export function kindMeant(name: string, tools: readonly CatalogueEntry[]): string {
  const plain = plainly(name);
  const byName = tools.find(({ kind }) => plainly(kind) === plain);
  const byTitle = byName ?? tools.find((tool) => plainly(tool.name) === plain);
  if (byTitle) return byTitle.kind;
  const meant = Object.hasOwn(KIND_SYNONYMS, plain) ? KIND_SYNONYMS[plain] : undefined;
  if (meant !== undefined && tools.some(({ kind }) => kind === meant)) return meant;
  // A slip of one or two letters, in a name long enough to bear it.
  const near =
    plain.length >= 6
      ? nearestName(
          name,
          tools.map(({ kind }) => kind),
        )
      : null;
  return near !== null && Math.abs(plainly(near).length - plain.length) <= 1 ? near : name;
}
