import type { StripeAccount } from './stripe-account.js';

type Json = { [name: string]: unknown };

/** Left out of an answer that does not ask for them. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = { invoice: ['payments'] };
const MOST_LEVELS = 4;

/** A copy for one answer: ids where nothing else is asked for, objects where it is. @throws RangeError for what Stripe refuses */
export function answerOf(object: object, expand: readonly string[], account: StripeAccount): Json {
  const answer = JSON.parse(JSON.stringify(object)) as Json;
  const shown = new Set(expand.map((path) => path.replace(/^data\./, '')));
  for (const one of (answer.object === 'list' ? (answer.data as Json[]) : [answer]) ?? [])
    for (const name of HIDDEN[String(one.object)] ?? []) if (!shown.has(name)) delete one[name];
  for (const path of expand) {
    const levels = path.split('.');
    if (levels.length > MOST_LEVELS) throw new RangeError(`You cannot expand more than ${MOST_LEVELS} levels.`);
    open(answer, levels, account);
  }
  return answer;
}

function open(at: unknown, [name, ...rest]: readonly string[], account: StripeAccount): void {
  if (name === undefined || typeof at !== 'object' || at === null) return;
  const holder = at as Json;
  const value = holder[name];
  if (typeof value === 'string') holder[name] = copyOf(value, account) ?? value;
  else if (Array.isArray(value))
    holder[name] = value.map((one: unknown) => (typeof one === 'string' ? (copyOf(one, account) ?? one) : one));
  const next = holder[name];
  for (const one of Array.isArray(next) ? next : [next]) open(one, rest, account);
}

function copyOf(id: string, account: StripeAccount): Json | null {
  const { products, coupons, discounts, sessions, subscriptions, invoices } = account;
  for (const kept of [products, coupons, discounts, sessions, subscriptions, invoices] as Map<string, object>[]) {
    const found = kept.get(id);
    if (found) return JSON.parse(JSON.stringify(found)) as Json;
  }
  return null;
}
