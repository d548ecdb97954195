import type { CallNeed, CallPrice } from '@app/models';
import type { BudgetScope, Caps } from './caps.js';

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
  /** `line` is the one that has least left, `of` what it lacks. */
  | { does: 'refuse'; line: BudgetLine; of: { cost: boolean; tokens: boolean } };

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
  return { does: 'refuse', line, of };
}

/** Whether nothing more is begun: all is spent. */
export function isSpent({ caps, spent }: Pick<BudgetLine, 'caps' | 'spent'>): boolean {
  const { hardCost, hardTokens } = caps;
  return (hardCost !== null && spent.cost >= hardCost - DUST) || (hardTokens !== null && spent.tokens >= hardTokens);
}

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
