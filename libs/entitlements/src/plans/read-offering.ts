import { formatMoney, isCurrency, parseMoney, shareOf } from '@app/common';
import { parse } from 'yaml';
import { z } from 'zod';
import { FEATURES, type FeatureFlags } from './features.js';
import { type Coupon, type FreeTier, type Offering, type Plan, SUPPORT_TIERS, TIERS } from './plan.js';

const UNITS = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 } as const;
/** What a checkout may ask for at most, whatever the plan says. */
const MOST_SEATS = 100_000;

const code = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'small letters, digits, - and _, 40 at most');
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable();
const amount = z.string('put amounts in quotes, such as "29.00"');

const bytes = z
  .union([z.int().min(0), z.string().regex(/^\d{1,6} ?(B|KiB|MiB|GiB|TiB)$/, 'bytes, or such as "20 GiB"')])
  .nullable()
  .transform((given) => {
    if (typeof given !== 'string') return given;
    const [, number, unit] = /^(\d+) ?(\w+)$/.exec(given)!;
    return Number(number) * UNITS[unit as keyof typeof UNITS];
  });

const limits = z
  .strictObject({
    monthly_workflow_runs: count,
    included_tokens: count,
    storage: bytes,
    run_history_days: z.int().min(1).max(3650).nullable(),
    live_build_sessions: count,
  })
  .transform((given) => ({
    monthlyWorkflowRuns: given.monthly_workflow_runs,
    includedTokens: given.included_tokens,
    storageBytes: given.storage,
    runHistoryDays: given.run_history_days,
    liveBuildSessions: given.live_build_sessions,
  }));

const features = z
  .array(z.enum(FEATURES))
  .transform((given) => Object.fromEntries(FEATURES.map((name) => [name, given.includes(name)])) as FeatureFlags);

const tier = {
  name: z.string().min(1).max(80),
  support_tier: z.enum(SUPPORT_TIERS).default('community'),
  features,
  limits,
};

const plan = z.strictObject({
  ...tier,
  code,
  tier: z.enum(TIERS),
  description: z.string().max(500).default(''),
  monthly_price: amount,
  yearly_price: amount.optional(),
  trial_days: z.int().min(0).max(365).default(0),
  seats: z
    .strictObject({
      min: z.int().min(1).max(MOST_SEATS).default(1),
      max: z.int().min(1).max(MOST_SEATS).nullable().optional(),
      adjustable: z.boolean().default(false),
    })
    .default({ min: 1, adjustable: false }),
  contact_sales: z.boolean().default(false),
  pool: z.enum(['user', 'organization']).default('user'),
  retired: z.boolean().default(false),
});

const coupon = z.strictObject({
  code: z.string().regex(/^[A-Z0-9_-]{3,40}$/, 'capital letters, digits, - and _, 3 to 40'),
  percent_off: z.int().min(1).max(100).optional(),
  amount_off: amount.optional(),
  plans: z.array(code).min(1).optional(),
  max_redemptions: z.int().min(1).optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
  duration: z.enum(['once', 'forever']).default('once'),
});

const file = z.strictObject({
  currency: z.string().refine(isCurrency, 'three capital letters of ISO 4217, such as EUR'),
  yearly_discount_percent: z.int().min(0).max(99).default(20),
  free: z.strictObject(tier),
  plans: z.array(plan).min(1).max(50),
  coupons: z.array(coupon).max(1000).default([]),
});
type Given = z.infer<typeof file>;

/** What is wrong with a file of plans, a line for each mistake. */
export class OfferingError extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(mistakes.join('\n'));
  }
}

/**
 * Reads a file of plans (YAML; docs/operations/billing.md). A yearly price that it does not name is twelve months less
 * `yearly_discount_percent`, to the cent.
 * @throws OfferingError with each mistake in words
 */
export function readOffering(text: string): Offering {
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw new OfferingError([`it is not YAML: ${(error as Error).message.split('\n')[0]}`]);
  }
  const parsed = file.safeParse(content, { error: ({ input }) => (input === undefined ? 'it is missing' : undefined) });
  if (!parsed.success)
    throw new OfferingError(
      parsed.error.issues.map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'the file'}: ${message}`),
    );
  return toOffering(parsed.data);
}

function toOffering(given: Given): Offering {
  const { currency, yearly_discount_percent: discount } = given;
  const mistakes: string[] = [];
  const money = (text: string, where: string): number => {
    const minor = parseMoney(text, currency);
    if (minor === null) mistakes.push(`${where}: "${text}" is no amount of ${currency}`);
    return minor ?? 0;
  };
  const plans = given.plans.map((one, at): Plan => {
    const where = `plans.${at}`;
    const monthlyPrice = money(one.monthly_price, `${where}.monthly_price`);
    const yearlyPrice =
      one.yearly_price === undefined
        ? shareOf(monthlyPrice * 12, 100 - discount, 100)
        : money(one.yearly_price, `${where}.yearly_price`);
    const max = one.seats.max === undefined ? (one.seats.adjustable ? null : one.seats.min) : one.seats.max;
    if (max !== null && max < one.seats.min) mistakes.push(`${where}.seats: max is below min`);
    if (one.pool === 'user' && (max === null || max > 1))
      mistakes.push(`${where}.seats: a plan with more than one seat needs "pool: organization"`);
    return {
      ...toTier(one),
      code: one.code,
      tier: one.tier,
      description: one.description,
      currency,
      monthlyPrice,
      yearlyPrice,
      trialDays: one.trial_days,
      seats: { min: one.seats.min, max, adjustable: one.seats.adjustable },
      contactSales: one.contact_sales,
      pool: one.pool,
      retired: one.retired,
    };
  });
  const coupons = given.coupons.map((one, at): Coupon => {
    const where = `coupons.${at}`;
    if ((one.percent_off === undefined) === (one.amount_off === undefined))
      mistakes.push(`${where}: it needs either percent_off or amount_off`);
    for (const name of one.plans ?? [])
      if (!plans.some((known) => known.code === name)) mistakes.push(`${where}.plans: there is no plan "${name}"`);
    return {
      code: one.code,
      percentOff: one.percent_off ?? null,
      amountOff: one.amount_off === undefined ? null : money(one.amount_off, `${where}.amount_off`),
      plans: one.plans ?? null,
      maxRedemptions: one.max_redemptions ?? null,
      expiresAt: one.expires_at === undefined ? null : Date.parse(one.expires_at),
      duration: one.duration,
    };
  });
  mistakes.push(...twice('plans', plans), ...twice('coupons', coupons));
  if (mistakes.length > 0) throw new OfferingError(mistakes);
  return { currency, yearlyDiscountPercent: discount, free: toTier(given.free), plans, coupons };
}

function toTier(given: Given['free']): FreeTier {
  return { name: given.name, supportTier: given.support_tier, features: given.features, limits: given.limits };
}

function twice(of: string, all: readonly { code: string }[]): string[] {
  const codes = all.map((one) => one.code);
  const doubled = new Set(codes.filter((one, at) => codes.indexOf(one) !== at));
  return [...doubled].map((one) => `${of}: "${one}" stands there twice`);
}

/** Prices as people read them. */
export function pricesOf(plan: Plan): { monthly: string; yearly: string } {
  return {
    monthly: formatMoney(plan.monthlyPrice, plan.currency),
    yearly: formatMoney(plan.yearlyPrice, plan.currency),
  };
}
