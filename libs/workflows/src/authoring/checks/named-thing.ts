import { nearestNames } from '@app/workflow-definition';
import { fold } from '@app/common';

const SHOWN = 5;

/** Something that a param can name: by its id, which the platform wants, or as people call it. */
export interface Nameable {
  id: string;
  names: readonly string[];
}

export type Named = { id: string } | { message: string };

/** The one that is meant, by its id or by a name that only one has; or else what to tell whoever named it. */
export function thingMeant(name: string, what: string, things: readonly Nameable[]): Named {
  if (things.some(({ id }) => id === name)) return { id: name };
  const wanted = plain(name);
  const fitting = things.filter(({ names }) => names.some((known) => plain(known) === wanted));
  if (fitting.length === 1) return { id: fitting[0]!.id };
  const known = things.flatMap(({ id, names }) => names.map((label) => ({ id, label })));
  const near = nearestNames(
    name,
    known.map(({ label }) => label),
    SHOWN,
  );
  const shown = (near.length > 0 ? near : known.slice(0, SHOWN).map(({ label }) => label)).map((label) => {
    const { id } = known.find((other) => other.label === label)!;
    return id === label ? JSON.stringify(id) : `${JSON.stringify(label)} (${id})`;
  });
  const count = fitting.length > 1 ? `${fitting.length} ${what}s are` : `No ${what} is`;
  const hint =
    shown.length > 0
      ? ` There ${shown.length === 1 ? 'is' : 'are'}: ${shown.join(', ')}.`
      : ` The person has none: ask for it in "questions".`;
  return { message: `${count} called ${JSON.stringify(name.slice(0, 200))}.${hint}` };
}

/** Names of files are the same with their ending and without. */
function plain(name: string): string {
  return fold(name)
    .replace(/\.[a-z0-9]{2,5}$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
