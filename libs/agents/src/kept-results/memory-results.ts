import { handleOf, resultId } from './result-handle.js';
import { type KeptResult, MAX_TURN_CHARACTERS, type NewResult, type ResultStore } from './result-store.js';

/** For work that is never taken up by another worker: an agent within a workflow. */
export class MemoryResults implements ResultStore {
  private readonly results = new Map<string, KeptResult>();

  constructor(
    private readonly workId: string,
    private readonly room = MAX_TURN_CHARACTERS,
  ) {}

  keep({ place, tool, text }: NewResult): Promise<string | null> {
    const handle = handleOf(resultId(this.workId, place));
    const others = [...this.results].filter(([name]) => name !== handle);
    const taken = others.reduce((sum, [, result]) => sum + result.text.length, 0);
    if (taken + text.length > this.room) return Promise.resolve(null);
    this.results.set(handle, { tool, text });
    return Promise.resolve(handle);
  }

  find(handle: string): Promise<KeptResult | null> {
    return Promise.resolve(this.results.get(handle) ?? null);
  }
}
