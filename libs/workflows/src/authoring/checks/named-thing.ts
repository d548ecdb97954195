import { nameButForSlip, nearestNames } from '@app/workflow-definition';
import { cutText, fold } from '@app/common';

const SHOWN = 5;

/** Something that a param can name: by its id, which the platform wants, or as people call it. */
export interface Nameable {
  id: string;
  names: readonly string[];
}

export type Named =
  | { id: string; /** The name, where it was written with a slip. */ takenAs?: string }
  | { message: string };

/**
 * The one that is meant, by its id or by a name that only one has; or else what to tell whoever named it.
 * @param bearsSlips whether a name with a slip of letters is taken for the one that it is like
 */
export function thingMeant(name: string, what: string, things: readonly Nameable[], bearsSlips = false): Named {
  if (things.some(({ id }) => id === name)) return { id: name };
  const wanted = plain(name);
  const fitting = things.filter(({ names }) => names.some((known) => plain(known) === wanted));
  if (fitting.length === 1) return { id: fitting[0]!.id };
  if (fitting.length > 1) {
    const listed = fitting.slice(0, SHOWN).map(({ id, names }) => shownAs(names[0]!, id));
    return { message: `${fitting.length} ${what}s are called ${quote(name)}. There are: ${listed.join(', ')}.` };
  }
  const known = things.flatMap(({ id, names }) => names.map((label) => ({ id, label })));
  const labels = known.map(({ label }) => label);
  const slipped = bearsSlips ? nameButForSlip(name, labels) : null;
  const [meant, ...others] = new Set(known.filter(({ label }) => label === slipped).map(({ id }) => id));
  if (slipped !== null && meant !== undefined && others.length === 0) return { id: meant, takenAs: slipped };
  const near = nearestNames(name, labels, SHOWN);
  const shown = [...new Set(near.length > 0 ? near : labels.slice(0, SHOWN))].map((label) =>
    shownAs(label, known.find((other) => other.label === label)!.id),
  );
  const hint =
    shown.length > 0
      ? `There ${shown.length === 1 ? 'is' : 'are'}: ${shown.join(', ')}.`
      : 'The person has none: ask for it in "questions".';
  return { message: `No ${what} is called ${quote(name)}. ${hint}` };
}

function shownAs(label: string, id: string): string {
  return id === label ? JSON.stringify(id) : `${quote(label)} (${id})`;
}

function quote(name: string): string {
  return JSON.stringify(cutText(name, 200));
}

/** Names of files are the same with their ending and without. */
function plain(name: string): string {
  return fold(name)
    .replace(/\.[a-z0-9]{2,5}$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
