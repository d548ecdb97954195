import { MemoryResults, type ResultStore } from '@app/agents';

/** Characters, of one turn: what is lost with its worker is asked for again. */
const ROOM = 4_000_000;

/** Long results of one turn, which nobody gets who does not see any more what they rest on. */
export function watchedResults(turnId: string, isSeen: () => Promise<boolean>): ResultStore {
  const results = new MemoryResults(turnId, ROOM);
  return {
    keep: (result) => results.keep(result),
    find: async (handle) => ((await isSeen()) ? results.find(handle) : null),
  };
}
