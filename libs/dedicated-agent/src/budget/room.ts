import type { CallNeed, CallPrice } from '@app/models';
import type { BudgetScope, Caps } from './caps.js';
import type { CounterRow } from './counters.js';

export interface Amount {
  cost: number;
  tokens: number;
}

/** One counter with the caps that hold for it. */
export interface BudgetLine {
  key: string;
  scope: BudgetScope;
  caps: Caps;
  spent: Amount;
  /** For calls that are under way. */
  reserved: Amount;
}

export type Decision =
  /** `maxOutputTokens` null: no cap depends on how long the answer is. */
  | { does: 'hold'; amount: Amount; maxOutputTokens: number | null }
  /** It may fit once calls that are under way have told what they took. */
  | { does: 'wait' }
  /** `line` is the one that has least left, `of` what it lacks, `least` what the call takes with its shortest answer. */
  | { does: 'refuse'; line: BudgetLine; of: { cost: boolean; tokens: boolean }; least: Amount };

/** Money is counted in fractions: a cap is reached where less than this is left. */
const DUST = 1e-9;

/**
 * Whether a call fits under all caps if it takes the most that it can. Where its longest answer does not fit, a shorter
 * one may, as long as that is worth it.
 */
export function decide(lines: readonly BudgetLine[], need: CallNeed): Decision {
  const { outputTokens: wanted, leastOutputTokens: least, price } = need;
  let now = Infinity;
  let later = Infinity;
  let tightest: BudgetLine | null = null;
  for (const line of lines) {
    now = Math.min(now, outputLeft(line, need, line.reserved));
    const unreserved = outputLeft(line, need, NOTHING);
    if (unreserved < later || tightest === null) tightest = line;
    later = Math.min(later, unreserved);
  }
  if (now >= least) {
    const output = Math.min(wanted, Math.floor(now));
    return { does: 'hold', amount: amountOf(need, output), maxOutputTokens: now === Infinity ? null : output };
  }
  if (later >= least) return { does: 'wait' };
  const line = tightest!;
  const of = {
    cost: price !== null && outputOfMoney(line, need, NOTHING, price) < least,
    tokens: outputOfTokens(line, need, NOTHING) < least,
  };
  return { does: 'refuse', line, of, least: amountOf(need, least) };
}

/** Whether all of a cap is used. */
export function isSpent({ caps, spent }: Pick<BudgetLine, 'caps' | 'spent'>): boolean {
  const { hardCost, hardTokens } = caps;
  return (hardCost !== null && spent.cost >= hardCost - DUST) || (hardTokens !== null && spent.tokens >= hardTokens);
}

/**
 * Nothing begins any more: all is spent, or a call did not fit under caps that are no higher now, and less is left than
 * calls take on average. One that was too large closes nothing to those that are not.
 */
export function isClosed(
  line: Pick<BudgetLine, 'caps' | 'spent'>,
  {
    refusedCost,
    refusedTokens,
    calls,
    unpricedCalls,
  }: Pick<CounterRow, 'refusedCost' | 'refusedTokens' | 'calls' | 'unpricedCalls'>,
): boolean {
  const { caps, spent } = line;
  return (
    isSpent(line) ||
    isTooLittle(caps.hardCost, refusedCost, spent.cost, calls - unpricedCalls) ||
    isTooLittle(caps.hardTokens, refusedTokens, spent.tokens, calls)
  );
}

const isTooLittle = (cap: number | null, refused: number | null, used: number, calls: number): boolean =>
  cap !== null && refused !== null && refused >= cap && (cap - used) * calls < used;

/** Whether its owner is to be told that it goes to its end. */
export function isOverSoftCap({ caps, spent }: Pick<BudgetLine, 'caps' | 'spent'>): boolean {
  const { softCost, softTokens } = caps;
  return (softCost !== null && spent.cost >= softCost - DUST) || (softTokens !== null && spent.tokens >= softTokens);
}

function amountOf({ promptTokens, price }: CallNeed, output: number): Amount {
  const cost = price ? price.fixed + promptTokens * price.perPromptToken + output * price.perOutputToken : 0;
  return { cost, tokens: promptTokens + output };
}

/** How long the answer may be; Infinity: as long as it likes. */
function outputLeft(line: BudgetLine, need: CallNeed, reserved: Amount): number {
  const byTokens = outputOfTokens(line, need, reserved);
  return need.price === null ? byTokens : Math.min(byTokens, outputOfMoney(line, need, reserved, need.price));
}

function outputOfTokens({ caps, spent }: BudgetLine, { promptTokens }: CallNeed, reserved: Amount): number {
  return caps.hardTokens === null ? Infinity : caps.hardTokens - spent.tokens - reserved.tokens - promptTokens;
}

function outputOfMoney({ caps, spent }: BudgetLine, need: CallNeed, reserved: Amount, price: CallPrice): number {
  if (caps.hardCost === null) return Infinity;
  const left = caps.hardCost - spent.cost - reserved.cost - price.fixed - need.promptTokens * price.perPromptToken;
  // What costs nothing may go on for as long as it likes.
  if (price.perOutputToken === 0) return left >= -DUST ? Infinity : -Infinity;
  return (left + DUST) / price.perOutputToken;
}

const NOTHING: Amount = { cost: 0, tokens: 0 };
