import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { rounds, stride } from '../support/long.js';
import { Payments } from '../support/payments.js';
import type { SentEvent } from '../support/stripe/stripe-account.js';

/** A sequence that is the same each time for one seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e37_79b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

function permutationsOf<T>(all: readonly T[]): T[][] {
  if (all.length <= 1) return [[...all]];
  return all.flatMap((first, at) => permutationsOf(all.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

const ORDERS = permutationsOf([0, 1, 2, 3, 4, 5]);
const SEED = 20_261_128;
/** So that each ends in the time of a test, on a busy machine too. */
const PARTS = Array.from({ length: rounds(60, 6) }, (_, part) => part);

/**
 * A lifecycle of six events, in each order in which they can come, each one up to five times, while the processor goes on
 * in between, our processes die at any statement, and work is done or not: one and the same row in the end.
 */
describe.each([
  ['that is paid for again', 'settled', 'active'],
  ['that is cancelled', 'canceled', 'canceled'],
] as const)('a subscription %s', (_what, end, status) => {
  let database: TestDatabase;
  let payments: Payments;
  beforeAll(async () => {
    database = await createTestDatabase();
    payments = await Payments.start(database);
  });
  afterAll(async () => {
    await payments.stop();
    await database.drop();
  });

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T[]>(text, values);

  /** What happens at the processor, a step for each event that it makes; `tell` gives those that there are by then. */
  function lifecycleOf(checkoutId: string) {
    const { account } = payments.stripe;
    const from = account.events.length;
    const subscription = () => account.subscriptions.get(account.sessions.get(checkoutId)!.subscription as string)!;
    const steps = [
      () => account.pay(checkoutId),
      () => account.renew(subscription().id, 'failed'),
      () => (end === 'settled' ? account.settle(subscription().id) : account.cancel(subscription(), null)),
    ];
    const tell = (): SentEvent[] => {
      const told = account.events.slice(from);
      // Of a payment that is made up for there are two.
      return told.length > 6 ? told.toSpliced(5, 1) : told;
    };
    return { steps, tell, subscription };
  }

  async function play(order: readonly number[], seed: number): Promise<unknown> {
    const random = randomFrom(seed);
    const { id, checkoutId } = await payments.order();
    // The pay page was opened, and its id not written down, by a process that died.
    if (random(4) === 0) await sql('UPDATE subscriptions SET processor_checkout_id = NULL WHERE id = $1', [id]);
    const { steps, tell, subscription } = lifecycleOf(checkoutId);
    const mayDie = async (what: () => Promise<unknown>) => {
      if (random(3) > 0) return what();
      await payments.mortal.dies(random(14), what);
      await payments.wait();
    };
    const deliveries = order.flatMap((event) => Array.from({ length: 1 + random(5) }, () => event));
    // Later deliveries of one event come between those of others.
    for (let at = deliveries.length - 1; at > 0; at -= 1) {
      const other = random(3) === 0 ? random(at + 1) : at;
      [deliveries[at], deliveries[other]] = [deliveries[other]!, deliveries[at]!];
    }
    for (const event of deliveries) {
      while (tell().length <= event) steps.shift()!();
      const { body } = tell()[event]!;
      if (random(4) === 0) await Promise.all([payments.deliver({ body }), mayDie(() => payments.deliver({ body }))]);
      else await mayDie(() => payments.deliver({ body }));
      // The processor delivers again what was not taken.
      await payments.deliver({ body });
      if (random(2) === 0) await mayDie(() => payments.work());
      if (random(3) === 0 && steps.length > 0) steps.shift()!();
    }
    await payments.wait();
    await payments.work();
    await payments.wait();
    await payments.work();
    const [row] = await sql<object>(
      `SELECT status, plan_code, billing_period, seats, processor_subscription_id = $2 AS subscription, give_back,
         processor_customer_id = $3 AS customer, trial_end, canceled_at IS NULL AS open, checkout_url,
         (extract(epoch FROM current_period_end) = $4) AS period,
         (SELECT count(*)::int FROM payment_events e WHERE e.object_id IN ($2, $5)) AS events,
         (SELECT count(*)::int FROM payment_events e WHERE e.object_id IN ($2, $5) AND handled_at IS NULL) AS waiting,
         (SELECT count(*)::int FROM payment_objects o WHERE o.id IN ($2, $5) AND (next_attempt_at IS NOT NULL OR lease_owner IS NOT NULL)) AS busy
       FROM subscriptions WHERE id = $1`,
      [id, subscription().id, subscription().customer, subscription().items.data[0]!.current_period_end, checkoutId],
    );
    return row;
  }

  it.each(PARTS)('is one and the same in the end, in part %i of the orders', async (part) => {
    const size = ORDERS.length / PARTS.length;
    const orders = ORDERS.slice(part * size, (part + 1) * size);
    const seen: string[] = [];
    for (let at = part % stride(60); at < orders.length; at += stride(60)) {
      const order = orders[at]!;
      seen.push(order.join(''));
      expect([order, await play(order, SEED + part * 1000 + at)]).toEqual([
        order,
        {
          status,
          plan_code: 'pro',
          billing_period: 'monthly',
          seats: 3,
          subscription: true,
          customer: true,
          give_back: 'none',
          trial_end: null,
          open: status === 'active',
          checkout_url: null,
          period: true,
          events: 6,
          waiting: 0,
          busy: 0,
        },
      ]);
    }
    expect(new Set(seen).size).toBe(orders.length / stride(60));
  });
});
