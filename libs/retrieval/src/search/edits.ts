/**
 * How many letters two words differ by: changed, missing, too many, or two neighbours in each other's place.
 * @returns null when they are more than `most`
 */
export function within(most: number, left: string, right: string): number | null {
  if (Math.abs(left.length - right.length) > most) return null;
  let [before, last]: [number[], number[]] = [[], Array.from({ length: right.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= left.length; row++) {
    const next = [row];
    for (let at = 1; at <= right.length; at++) {
      const same = left[row - 1] === right[at - 1];
      let edits = Math.min(last[at]! + 1, next[at - 1]! + 1, last[at - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && at > 1 && left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      if (swapped) edits = Math.min(edits, before[at - 2]! + 1);
      next.push(edits);
    }
    if (Math.min(...next) > most) return null;
    [before, last] = [last, next];
  }
  const edits = last[right.length]!;
  return edits <= most ? edits : null;
}
