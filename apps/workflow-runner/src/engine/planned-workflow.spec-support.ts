import type { Planned, PlannedNode } from './outcome-model.spec-support.js';

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

const simple = ['value', 'value', 'effect', 'pay', 'choose', 'delay', 'ask'] as const;
const nested = ['batch', 'batch', 'loop', 'sub_workflow'] as const;

/** A workflow of every kind that matters for crashes. `workflows` are those that it may start. */
export function planWorkflow(random: () => number, workflows: readonly string[], depth = 0): Planned {
  const size = 1 + Math.floor(random() * (depth === 0 ? 9 : 3));
  const density = 0.1 + random() * 0.4;
  const ids = Array.from({ length: size }, (_, index) => `n${index}`);
  const nodes = ids.map((id, index): PlannedNode => {
    const later = ids.slice(index + 1);
    const next = later.filter(() => random() < density);
    const errorNext = later.filter((other) => !next.includes(other) && random() < 0.3);
    const wanted = pick(random, ['fail', 'fail', 'continue', 'branch'] as const);
    const kind = random() < (depth === 0 ? 0.3 : 0.1) && depth < 2 ? pick(random, nested) : pick(random, simple);
    return {
      id,
      kind: kind === 'sub_workflow' && workflows.length === 0 ? 'value' : kind,
      params: paramsFor(kind, next, random, workflows, depth),
      next,
      error_next: wanted === 'branch' ? errorNext : [],
      on_error: wanted === 'branch' && errorNext.length === 0 ? 'continue' : wanted,
      requires: {
        wait_for: ids.slice(0, index).filter(() => random() < 0.06),
        on_failed: pick(random, ['skip', 'continue'] as const),
      },
    };
  });
  return { nodes };
}

function paramsFor(
  kind: string,
  next: string[],
  random: () => number,
  workflows: readonly string[],
  depth: number,
): Record<string, unknown> {
  const items = Array.from({ length: Math.floor(random() * 6) }, (_, index) => index);
  const many = {
    items,
    concurrency: 1 + Math.floor(random() * 3),
    item_failures: pick(random, ['fail', 'collect'] as const),
  };
  switch (kind) {
    case 'value':
    case 'effect':
      return random() < 0.2 ? { fails: true } : {};
    case 'choose':
      return { chosen: next.filter(() => random() < 0.5) };
    case 'delay':
      return { seconds: pick(random, [30, 3_600, 86_400]) };
    case 'ask': {
      const late = next.filter(() => random() < 0.4);
      return random() < 0.7
        ? { question: `answer ${Math.floor(random() * 100)}`, if_timeout: late, expires_in_seconds: 7_000_000 }
        : { question: 'nobody', if_timeout: late, expires_in_seconds: pick(random, [60, 7_200]) };
    }
    case 'batch': {
      const failing = random() < 0.3 ? 1 : -1;
      const part = pick(random, ['value', 'effect', 'pay'] as const);
      return {
        ...many,
        kind: 'part',
        failing,
        params: { kind: part, index: { $ref: '_index' }, fails: failing },
      };
    }
    case 'loop':
      return workflows.length > 0 && random() < 0.3
        ? { ...many, workflow_id: pick(random, workflows) }
        : { ...many, body: planWorkflow(random, [], depth + 1) };
    case 'sub_workflow':
      return workflows.length > 0 ? { workflow_id: pick(random, workflows) } : {};
    default:
      return {};
  }
}
