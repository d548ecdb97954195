import { LRUCache } from 'lru-cache';

/**
 * Remembers answers for a few seconds, and forgets them earlier when told. A load that began before a revocation
 * may have read what no longer holds, so its answer is not remembered.
 */
export class RevocableCache<V extends object> {
  private readonly entries: LRUCache<string, V>;
  private revocations = 0;

  constructor({ max, ttlMs }: { max: number; ttlMs: number }) {
    // Not `max`, for which it would set aside all places at once: megabytes of a process that nobody has asked yet.
    this.entries = new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl: ttlMs, ttlResolution: 100 });
  }

  /** Synchronous, for the hot path. */
  peek(key: string): V | undefined {
    return this.entries.get(key);
  }

  /**
   * The remembered answer, or a new one.
   * @param lifetimeMs how long this answer may be remembered at most; the cache's own limit stays
   */
  async load(key: string, find: () => Promise<V | null>, lifetimeMs?: (value: V) => number): Promise<V | null> {
    const remembered = this.entries.get(key);
    if (remembered) return remembered;
    const before = this.revocations;
    const began = performance.now();
    const value = await find();
    if (value && before === this.revocations) {
      const most = Math.min(lifetimeMs?.(value) ?? Infinity, this.entries.ttl);
      // What was read may be as old as the question.
      const left = most - (performance.now() - began);
      if (left > 0) this.entries.set(key, value, { ttl: left });
    }
    return value;
  }

  revoke(matches: (value: V) => boolean): void {
    this.revocations += 1;
    for (const [key, value] of this.entries.entries()) if (matches(value)) this.entries.delete(key);
  }

  clear(): void {
    this.revocations += 1;
    this.entries.clear();
  }
}
