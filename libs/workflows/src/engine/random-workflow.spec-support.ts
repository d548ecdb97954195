import type { ModelNode } from './reference-model.spec-support.js';

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: () => number, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}

/** A definition of up to 40 nodes with everything that docs/contract/workflows.md#graph-rules knows, free of cycles. */
export function createRandomWorkflow(random: () => number): { nodes: ModelNode[]; entry: string[] } {
  const size = 1 + Math.floor(random() * (random() < 0.3 ? 40 : 12));
  const density = 0.05 + random() * 0.4;
  const failureHandling = random();
  const ids = Array.from({ length: size }, (_, index) => `n${index}`);
  const nodes = ids.map((id, index): ModelNode => {
    const later = ids.slice(index + 1, index + 9);
    const earlier = ids.slice(0, index);
    const next = later.filter(() => random() < density);
    const errorNext = later.filter(() => random() < 0.25);
    const onError = random() < failureHandling ? pick(random, ['continue', 'branch'] as const) : 'fail';
    return {
      id,
      kind: pick(random, ['pure', 'pure', 'pure', 'branching', 'idempotent', 'external']),
      params: earlier.length > 0 ? { $: { $ref: `_output.${pick(random, earlier)}.value` } } : {},
      next,
      error_next: onError === 'branch' && errorNext.length === 0 ? later.slice(0, 1) : errorNext,
      on_error: onError === 'branch' && later.length === 0 ? 'continue' : onError,
      retry:
        random() < 0.25
          ? {
              max_attempts: 1 + Math.floor(random() * 4),
              backoff_seconds: random() * 3,
              multiplier: 1 + random() * 2,
              max_seconds: 5,
            }
          : null,
      requires: {
        wait_for: earlier.slice(-8).filter(() => random() < 0.08),
        on_failed: pick(random, ['skip', 'continue'] as const),
      },
    };
  });
  const derived = ids.filter((id) => {
    return !nodes.some(
      (node) => node.next.includes(id) || (node.on_error === 'branch' && node.error_next.includes(id)),
    );
  });
  const entry = random() < 0.8 ? derived : [...new Set([pick(random, ids), pick(random, ids)])];
  return { nodes: nodes.sort(() => random() - 0.5), entry };
}
