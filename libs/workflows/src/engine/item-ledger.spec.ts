import type { ItemFailures, ItemState } from '@app/workflow-definition';
import { rounds } from '../../../../test/support/long.js';
import { ItemLedger } from './item-ledger.js';
import { createRandom, pick } from './random-workflow.spec-support.js';

const sideEffects = ['none', 'idempotent', 'external'] as const;

/**
 * Random work on random items, cut off at random moments, against the rule: every item is done, none twice unless it may
 * be, a failed one again only in a later round, and one with external effects that may have begun never again.
 */
function play(seed: number): void {
  const random = createRandom(seed);
  const total = Math.floor(random() * 30);
  const effects = pick(random, sideEffects);
  const itemFailures: ItemFailures = pick(random, ['fail', 'collect'] as const);
  const written = new Map<number, ItemState>();
  const begun = Array.from({ length: total }, () => 0);
  const failsIn = Array.from({ length: total }, () => (random() < 0.2 ? Math.floor(random() * 3) : -1));
  const rows = (): ItemState[] => [...written.values()].map((item) => ({ ...item, output: null }));
  let round = 0;
  let ledger = new ItemLedger(total, [], { itemFailures, sideEffects: effects, round });
  let active: number[] = [];
  const save = (): void => {
    for (const item of ledger.takeDirty()) written.set(item.index, item);
  };
  for (let step = 0; step < 2_000; step += 1) {
    if (ledger.isOver) {
      save();
      if (!ledger.firstFailure || itemFailures === 'collect' || round === 3) break;
      round += 1;
      ledger = new ItemLedger(total, rows(), { itemFailures, sideEffects: effects, round });
      continue;
    }
    const choice = random();
    if (choice < 0.05) {
      // The worker dies: what is not written is forgotten.
      ledger = new ItemLedger(total, rows(), { itemFailures, sideEffects: effects, round });
      active = [];
    } else if (choice < 0.3) save();
    else if (choice < 0.6) {
      const taken = ledger.take(1 + Math.floor(random() * 4));
      if (effects === 'external') save();
      for (const index of taken) {
        begun[index]! += 1;
        const known = written.get(index);
        if (known?.status === 'COMPLETED' || known?.status === 'LOST') throw new Error(`${index} was ${known.status}.`);
        if (known?.status === 'FAILED' && known.round === round) throw new Error(`${index} failed in this round.`);
      }
      active.push(...taken);
    } else if (active.length > 0) {
      const index = pick(random, active);
      active = active.filter((one) => one !== index);
      if (failsIn[index] === round) ledger.fail(index, { code: 'broken', message: 'Broken.' });
      else ledger.complete(index, `did ${index}`);
    }
  }
  expect(ledger.isOver).toBe(true);
  save();
  for (let index = 0; index < total; index += 1) {
    const item = written.get(index);
    if (itemFailures === 'collect') expect(item).toBeDefined();
    if (item?.status === 'COMPLETED') expect(item.output).toBe(`did ${index}`);
    // Once in each round at most, however often a worker died.
    if (effects === 'external') expect(begun[index]).toBeLessThanOrEqual(round + 1);
  }
  if (itemFailures === 'fail' && !ledger.firstFailure) expect(ledger.settled).toBe(total);
}

const BATCHES = rounds(3_000, 400);

it('does every item, and none twice that must not be, in many random batches', () => {
  for (let seed = 1; seed <= BATCHES; seed += 1) {
    try {
      play(seed);
    } catch (error) {
      throw new Error(`Seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
});
