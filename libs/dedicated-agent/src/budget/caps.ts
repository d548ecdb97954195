export const BUDGET_SCOPES = ['run', 'job', 'day', 'month'] as const;
/** What is counted together: one run, all runs of a job in a month, of an agent in a day or a month. */
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** Money in the currency of the deployment; null: none. */
export interface Caps {
  softCost: number | null;
  hardCost: number | null;
  softTokens: number | null;
  hardTokens: number | null;
}

/** As rows hold them. What is absent is not set; of operators, 0 takes a cap of the deployment away. */
export type StoredCaps = Partial<Record<BudgetScope, Partial<Caps>>>;

export const NO_CAPS: Caps = { softCost: null, hardCost: null, softTokens: null, hardTokens: null };
/** More is a mistake. */
export const MAX_COST = 1_000_000_000;
export const MAX_TOKENS = 1_000_000_000_000;

export interface BudgetDefaults {
  /** Hard caps of each agent, unless an operator says otherwise; 0: none. */
  costs: Readonly<Record<BudgetScope, number>>;
  tokens: Readonly<Record<BudgetScope, number>>;
  /** Of the hard caps, where the soft ones are that nobody set; 0: there are none. */
  softPercent: number;
  currency: string;
}

/** Who says what about one agent. */
export interface CapSources {
  operatorCaps: StoredCaps;
  ownerCaps: StoredCaps;
  /** Of the job that the run is of. */
  jobBudget: Partial<Caps> | null;
}

/** What the owner may not go beyond. */
export function limitsOf(scope: BudgetScope, { operatorCaps }: CapSources, defaults: BudgetDefaults): Caps {
  const set = operatorCaps[scope] ?? {};
  const hardCost = orNone(set.hardCost ?? defaults.costs[scope]);
  const hardTokens = orNone(set.hardTokens ?? defaults.tokens[scope]);
  const softOf = (hard: number | null) => (hard === null ? 0 : (hard * defaults.softPercent) / 100);
  return withinHard({
    softCost: orNone(set.softCost ?? softOf(hardCost)),
    hardCost,
    softTokens: orNone(set.softTokens ?? Math.floor(softOf(hardTokens))),
    hardTokens,
  });
}

/** What holds: the lowest of all that was said. */
export function effectiveCaps(scope: BudgetScope, sources: CapSources, defaults: BudgetDefaults): Caps {
  const limits = limitsOf(scope, sources, defaults);
  const own = sources.ownerCaps[scope] ?? {};
  const job = scope === 'job' ? (sources.jobBudget ?? {}) : {};
  const lowest = (name: keyof Caps) => lowestOf(limits[name], own[name], job[name]);
  return withinHard({
    softCost: lowest('softCost'),
    hardCost: lowest('hardCost'),
    softTokens: lowest('softTokens'),
    hardTokens: lowest('hardTokens'),
  });
}

/** Wrong caps by their names; null where all is well. */
export function mistakesIn(
  { softCost = null, hardCost = null, softTokens = null, hardTokens = null }: Partial<Caps>,
  limits: Caps = NO_CAPS,
): Partial<Record<keyof Caps, string>> | null {
  const mistakes: Partial<Record<keyof Caps, string>> = {};
  const values = { softCost, hardCost, softTokens, hardTokens };
  for (const [name, value] of Object.entries(values) as [keyof Caps, number | null][]) {
    if (value === null) continue;
    const isMoney = name.endsWith('Cost');
    const most = isMoney ? MAX_COST : MAX_TOKENS;
    const limit = limits[name];
    if (!Number.isFinite(value) || value <= 0) mistakes[name] = 'Must be more than 0; null is no cap.';
    else if (value > most) mistakes[name] = `Must be ${most} at most.`;
    else if (!isMoney && !Number.isInteger(value)) mistakes[name] = 'Tokens are whole numbers.';
    else if (limit !== null && name.startsWith('hard') && value > limit)
      mistakes[name] = `Must be ${limit} at most, which the operator allows.`;
  }
  if (softCost !== null && hardCost !== null && softCost > hardCost)
    mistakes.softCost ??= 'Must not be more than the hard cap.';
  if (softTokens !== null && hardTokens !== null && softTokens > hardTokens)
    mistakes.softTokens ??= 'Must not be more than the hard cap.';
  return Object.keys(mistakes).length > 0 ? mistakes : null;
}

function withinHard({ softCost, hardCost, softTokens, hardTokens }: Caps): Caps {
  return {
    softCost: softCost === null ? null : lowestOf(softCost, hardCost),
    hardCost,
    softTokens: softTokens === null ? null : lowestOf(softTokens, hardTokens),
    hardTokens,
  };
}

function lowestOf(...values: (number | null | undefined)[]): number | null {
  const set = values.filter((value): value is number => typeof value === 'number');
  return set.length === 0 ? null : Math.min(...set);
}

const orNone = (value: number): number | null => (value > 0 ? value : null);

/** Without what is not set; null: nothing is. */
export function setCaps(caps: Partial<Caps> | null): Partial<Caps> | null {
  const set = Object.entries(caps ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return set.length > 0 ? Object.fromEntries(set) : null;
}
