import { listSettings } from './load.js';

/** So many letters may be wrong, missing or too many; in short names nothing is told. */
const WRONG_LETTERS = 2;
const SHORTEST_NAME = 7;

/** How many letters have to be changed, added or left out to make one text of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = row[j - 1]! + Number(one[i - 1] !== other[j - 1]);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** A sentence for each variable that is no setting, but is called almost like one. */
export function findMisspellings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = listSettings().map((row) => row.env);
  return Object.keys(env)
    .filter((name) => name.length >= SHORTEST_NAME && !known.includes(name))
    .flatMap((name) => {
      const wrong = (setting: string) => distance(name.toUpperCase(), setting);
      const meant = known.toSorted((one, other) => wrong(one) - wrong(other))[0]!;
      return wrong(meant) <= WRONG_LETTERS ? [`${name} is no setting and has no effect. Is ${meant} meant?`] : [];
    });
}
