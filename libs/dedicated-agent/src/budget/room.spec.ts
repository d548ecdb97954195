import type { CallNeed } from '@app/models';
import { NO_CAPS } from './caps.js';
import { type BudgetLine, decide, isClosed, isOverSoftCap, isSpent } from './room.js';

const PRICE = { perPromptToken: 0.001, perOutputToken: 0.01, fixed: 0 };
const need = (over: Partial<CallNeed> = {}): CallNeed => ({
  promptTokens: 1000,
  outputTokens: 4000,
  leastOutputTokens: 1000,
  price: PRICE,
  seconds: 60,
  ...over,
});
const line = (caps: object, spent: object = {}, reserved: object = {}): BudgetLine => ({
  key: JSON.stringify(caps),
  scope: 'day',
  caps: { ...NO_CAPS, ...caps },
  spent: { cost: 0, tokens: 0, ...spent },
  reserved: { cost: 0, tokens: 0, ...reserved },
});

describe('room under caps', () => {
  it('is without end where there are none', () => {
    expect(decide([line({})], need())).toEqual({
      does: 'hold',
      amount: { cost: 41, tokens: 5000 },
      maxOutputTokens: null,
    });
  });

  it.each<[string, BudgetLine[], number | 'wait' | 'refuse']>([
    ['all of it fits, to the last part', [line({ hardCost: 41 })], 4000],
    ['beside what is spent and set aside', [line({ hardCost: 60 }, { cost: 9 }, { cost: 10 })], 4000],
    ['a shorter answer fits', [line({ hardCost: 31 })], 3000],
    ['the shortest answer that is worth it', [line({ hardCost: 11 })], 1000],
    ['not even that', [line({ hardCost: 10.99 })], 'refuse'],
    ['once others have told what they took', [line({ hardCost: 41 }, {}, { cost: 31 })], 'wait'],
    ['others take what fits beside them', [line({ hardCost: 41 }, {}, { cost: 20 })], 2000],
    ['nothing is left whatever they took', [line({ hardCost: 41 }, { cost: 31 }, { cost: 5 })], 'refuse'],
    ['tokens', [line({ hardTokens: 5000 })], 4000],
    ['fewer tokens', [line({ hardTokens: 3000 }, { tokens: 500 })], 1500],
    ['too few tokens', [line({ hardTokens: 1999 })], 'refuse'],
    ['the lowest of all counts', [line({ hardCost: 100 }), line({ hardTokens: 4000 }), line({})], 3000],
    ['less than nothing is left', [line({ hardCost: 5 }, { cost: 9 })], 'refuse'],
  ])('%s', (_, lines, expected) => {
    const decision = decide(lines, need());
    if (typeof expected === 'string') expect(decision.does).toBe(expected);
    else expect(decision).toMatchObject({ does: 'hold', maxOutputTokens: expected });
  });

  it('names what is tightest, and what it lacks', () => {
    const [month, day] = [line({ hardCost: 50 }), line({ hardTokens: 1500, hardCost: 100 })];
    expect(decide([month, day], need())).toEqual({
      does: 'refuse',
      line: day,
      of: { cost: false, tokens: true },
      least: { cost: 11, tokens: 2000 },
    });
  });

  it('of money binds nothing that has no price, of tokens everything', () => {
    const spent = { cost: 9, tokens: 9 };
    const free = need({ price: null });
    expect(decide([line({ hardCost: 1 }, spent)], free)).toMatchObject({ does: 'hold', maxOutputTokens: null });
    expect(decide([line({ hardCost: 1, hardTokens: 1500 }, spent)], free).does).toBe('refuse');
  });

  it('for what is paid by the piece, or by its prompt alone', () => {
    const picture = need({ price: { perPromptToken: 0, perOutputToken: 0, fixed: 2 } });
    expect(decide([line({ hardCost: 2 })], picture)).toMatchObject({ does: 'hold', maxOutputTokens: null });
    expect(decide([line({ hardCost: 2 }, { cost: 0.01 })], picture).does).toBe('refuse');
    expect(decide([line({ hardCost: 2 }, {}, { cost: 1 })], picture).does).toBe('wait');
  });

  it('is not lost to fractions', () => {
    const tenth = need({ promptTokens: 0, outputTokens: 10, leastOutputTokens: 10 });
    const spent = { cost: 0.1 + 0.2 + 0.1 + 0.2 + 0.3 };
    expect(decide([line({ hardCost: 1 }, spent)], tenth).does).toBe('hold');
    expect(isSpent(line({ hardCost: 1 }, { cost: 0.7 + 0.1 + 0.2 - 1e-12 }))).toBe(true);
  });

  it('comes near its end from the soft cap on', () => {
    expect(isOverSoftCap(line({ softCost: 1 }, { cost: 0.99 }))).toBe(false);
    expect(isOverSoftCap(line({ softCost: 1 }, { cost: 1 }))).toBe(true);
    expect(isOverSoftCap(line({ softTokens: 10 }, { tokens: 10 }))).toBe(true);
    expect(isOverSoftCap(line({ hardCost: 1 }, { cost: 1 }))).toBe(false);
  });

  it.each<[string, object, object, boolean]>([
    ['a call was too large, and half is left', { tokens: 500 }, { refusedTokens: 1000, calls: 5 }, false],
    ['less is left than a call takes', { tokens: 950 }, { refusedTokens: 1000, calls: 5 }, true],
    ['that is so, but nothing was refused', { tokens: 950 }, { calls: 5 }, false],
    ['that is so, and the cap was lower then', { tokens: 950 }, { refusedTokens: 960, calls: 5 }, false],
    ['the first call was too large', {}, { refusedTokens: 1000 }, false],
    ['all is spent', { tokens: 1000 }, { calls: 1 }, true],
    ['money is left for no call with a price', { cost: 9.5 }, { refusedCost: 10, calls: 100, unpricedCalls: 90 }, true],
    ['money is left for one', { cost: 9 }, { refusedCost: 10, calls: 100, unpricedCalls: 90 }, false],
  ])('is closed, or not, where %s', (_, spent, counted, expected) => {
    const counter = { refusedCost: null, refusedTokens: null, calls: 0, unpricedCalls: 0, ...counted };
    expect(isClosed(line({ hardTokens: 1000, hardCost: 10 }, spent), counter)).toBe(expected);
  });
});
