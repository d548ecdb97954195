/** A passage near one that was found. */
export interface Neighbour {
  chunkId: string;
  /** In passages: -1 is the one before, 0 the one that was found. */
  distance: number;
  page: number;
  start: number;
  end: number;
  text: string;
}

/**
 * Chooses for each passage the neighbours that it is shown with: first one step for all of them, the best first, then
 * the next. What one shows no other takes; a run has no gaps. Passages that did not grow are missing.
 * @param ids of the passages that were found, best first
 * @param room characters that may be added, all together
 */
export function growPassages(
  ids: readonly string[],
  byId: ReadonlyMap<string, readonly Neighbour[]>,
  room: number,
): Map<string, Neighbour[]> {
  const taken = new Set(ids);
  const runs = new Map<string, Neighbour[]>();
  let left = room;
  const reach = Math.max(0, ...[...byId.values()].flat().map(({ distance }) => Math.abs(distance)));
  const steps = Array.from({ length: reach }, (_, at) => [at + 1, -at - 1]).flat();
  for (const step of steps) {
    for (const id of ids) {
      const around = byId.get(id) ?? [];
      const run = runs.get(id) ?? around.filter(({ distance }) => distance === 0);
      const next = around.find(({ distance }) => distance === step);
      const touches = run.some(({ distance }) => distance === step - Math.sign(step));
      if (!next || !touches || taken.has(next.chunkId) || next.text.length > left) continue;
      taken.add(next.chunkId);
      left -= next.text.length;
      runs.set(
        id,
        [...run, next].sort((a, b) => a.distance - b.distance),
      );
    }
  }
  return runs;
}
