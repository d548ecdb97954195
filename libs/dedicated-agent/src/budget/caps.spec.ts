import { type BudgetDefaults, effectiveCaps, limitsOf, mistakesIn, NO_CAPS, setCaps } from './caps.js';
import { budgetExceeded } from './exceeded.js';
import { countersOf, resetOf } from './periods.js';

const NONE = { run: 0, job: 0, day: 0, month: 0 };
const defaults = (over: Partial<BudgetDefaults> = {}): BudgetDefaults => ({
  costs: NONE,
  tokens: NONE,
  softPercent: 80,
  currency: 'EUR',
  ...over,
});
const sources = (over: object = {}) => ({ operatorCaps: {}, ownerCaps: {}, jobBudget: null, ...over });

describe('caps', () => {
  it('are none where nobody set any', () => {
    expect(effectiveCaps('day', sources(), defaults())).toEqual(NO_CAPS);
  });

  it('are those of the settings, with a soft one below', () => {
    const set = defaults({ costs: { ...NONE, day: 10 }, tokens: { ...NONE, day: 999 } });
    expect(effectiveCaps('day', sources(), set)).toEqual({
      softCost: 8,
      hardCost: 10,
      softTokens: 799,
      hardTokens: 999,
    });
    expect(effectiveCaps('month', sources(), set)).toEqual(NO_CAPS);
    expect(effectiveCaps('day', sources(), { ...set, softPercent: 0 }).softCost).toBeNull();
  });

  it('an operator raises, lowers and takes away; an owner lowers alone', () => {
    const set = defaults({ costs: { ...NONE, day: 10 } });
    const of = (operator: object, owner: object) =>
      effectiveCaps('day', sources({ operatorCaps: { day: operator }, ownerCaps: { day: owner } }), set);
    expect(of({ hardCost: 20 }, {})).toMatchObject({ hardCost: 20, softCost: 16 });
    expect(of({ hardCost: 5, softCost: 4.5 }, {})).toMatchObject({ hardCost: 5, softCost: 4.5 });
    expect(of({ hardCost: 0 }, {})).toEqual(NO_CAPS);
    expect(of({ hardCost: 0 }, { hardCost: 3 })).toMatchObject({ hardCost: 3, softCost: null });
    // One that was set while the operator allowed more.
    expect(of({ hardCost: 5 }, { hardCost: 9, softCost: 7 })).toMatchObject({ hardCost: 5, softCost: 4 });
    expect(of({}, { hardCost: 6 })).toMatchObject({ hardCost: 6, softCost: 6 });
    expect(limitsOf('day', sources({ ownerCaps: { day: { hardCost: 1 } } }), set).hardCost).toBe(10);
  });

  it('of a job count for the job alone', () => {
    const given = sources({ ownerCaps: { job: { hardCost: 4 } }, jobBudget: { hardCost: 2, softTokens: 5 } });
    expect(effectiveCaps('job', given, defaults())).toMatchObject({ hardCost: 2, softTokens: 5 });
    expect(effectiveCaps('month', given, defaults())).toEqual(NO_CAPS);
  });

  it.each([
    [{ hardCost: -1 }, 'hardCost'],
    [{ hardCost: 0 }, 'hardCost'],
    [{ hardCost: Number.NaN }, 'hardCost'],
    [{ softCost: Infinity }, 'softCost'],
    [{ hardCost: 2e9 }, 'hardCost'],
    [{ hardTokens: 1.5 }, 'hardTokens'],
    [{ hardTokens: 2e12 }, 'hardTokens'],
    [{ softCost: 2, hardCost: 1 }, 'softCost'],
    [{ softTokens: 2, hardTokens: 1 }, 'softTokens'],
    [{ hardCost: 11 }, 'hardCost'],
  ])('%j is a mistake', (caps, name) => {
    expect(Object.keys(mistakesIn(caps, { ...NO_CAPS, hardCost: 10 }) ?? {})).toEqual([name]);
  });

  it('that are well have no mistakes, and what is not set is not kept', () => {
    expect(mistakesIn({ softCost: 1, hardCost: 1, hardTokens: 1 })).toBeNull();
    expect(mistakesIn({ hardCost: null })).toBeNull();
    expect(setCaps({ hardCost: null, softCost: 0 })).toEqual({ softCost: 0 });
    expect(setCaps({ hardCost: null })).toBeNull();
    expect(setCaps(null)).toBeNull();
  });
});

describe('periods', () => {
  it('are counted in UTC, and locked in one order', () => {
    const keys = countersOf({ runId: 'r', jobId: 'j', day: '2026-12-31' }).map(({ key }) => key);
    expect(keys).toEqual(['day:2026-12-31', 'job:j:2026-12', 'month:2026-12', 'run:r']);
    expect(keys).toEqual(keys.toSorted());
    expect(resetOf('day', '2026-12-31')).toBe('2027-01-01T00:00:00.000Z');
    expect(resetOf('month', '2026-12-31')).toBe('2027-01-01T00:00:00.000Z');
    expect(resetOf('job', '2028-02-29')).toBe('2028-03-01T00:00:00.000Z');
    expect(resetOf('run', '2026-12-31')).toBeNull();
  });

  it('stand in what is refused', () => {
    const caps = { ...NO_CAPS, hardCost: 0.005, hardTokens: 9 };
    const line = { key: 'k', scope: 'day' as const, caps, spent: { cost: 0.0042, tokens: 7 } };
    const error = budgetExceeded(line, { day: '2026-11-28', currency: 'EUR', isMoney: true });
    expect(error.message).toBe(
      'The budget of this day does not reach any further: 0.0042 of 0.0050 EUR are used. It is counted anew from 2026-11-29T00:00:00.000Z.',
    );
    expect(error).toMatchObject({
      code: 'budget_exceeded',
      extra: { scope: 'day', resets_at: '2026-11-29T00:00:00.000Z' },
    });
    const run = budgetExceeded({ ...line, scope: 'run' }, { day: '2026-11-28', currency: 'EUR', isMoney: false });
    expect(run.message).toBe('The budget of this run does not reach any further: 7 of 9 tokens are used.');
    const next = { cost: 0.002, tokens: 4 };
    const tooLarge = (isMoney: boolean) => budgetExceeded(line, { day: '2026-11-28', currency: 'EUR', isMoney, next });
    expect(tooLarge(false).message).toContain('7 of 9 tokens are used, and the next call may take 4.');
    expect(tooLarge(true).message).toContain('0.0050 EUR are used, and the next call may take 0.0020 EUR.');
  });
});
