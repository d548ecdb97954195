import { rounds, sample, stride } from '../../../../test/support/long.js';
import { AgentLoop } from './agent-loop.js';
import { newAgentState } from './agent-state.js';
import type { AgentAnswer } from './agent-end.js';
import {
  agentWork,
  MemoryApprovals,
  MemoryHost,
  newDurable,
  outcomesIn,
  ScriptedModel,
  stateOf,
  tool,
  type Durable,
} from './simulation.spec-support.js';

/**
 * The worker dies at every await point of a turn in turn (and again at a later one), another one takes over, and the
 * outside world is asked what it saw. A failure names its points.
 */
const TEXTS = [
  'I look at both documents first.',
  'Now I write the report and send it, as the two documents say so.',
  'The report is written and sent. It says what both documents say, and in the same words.',
];
const WHOLE = TEXTS.join('\n\n');

class Mortality {
  private point = 0;
  isDead = false;

  constructor(
    private readonly diesAt: number,
    private readonly atDeath: () => void,
  ) {}

  async pass(): Promise<void> {
    if (this.isDead) await new Promise(() => undefined);
    this.point += 1;
    if (this.point === this.diesAt) {
      this.isDead = true;
      this.atDeath();
      this.whenDead();
      await new Promise(() => undefined);
    }
  }

  private whenDead: () => void = () => undefined;
  readonly death = new Promise<void>((resolve) => (this.whenDead = resolve));
}

interface World {
  durable: Durable;
  approvals: MemoryApprovals;
  /** Calls per key. */
  calls: Map<string, number>;
  reply: Record<string, unknown> | null;
  pending: string | null;
  /** How a model goes on with what was told. */
  habit: 'anew' | 'overlap';
}

/** How long after the first death the next worker dies. */
const SECOND_DEATHS = [1, 2, 3, 5, 8, 13, 21, 34, 55];
/** In a short run one or two of these behind each first death, others from one to the next. */
const EVERY = stride(5, 11);

/** One worker's life. @returns whether it died. */
async function live(world: World, diesAt: number, seed: number): Promise<boolean> {
  const mortality = new Mortality(diesAt, () => host.die());
  const pass = () => mortality.pass();
  const survives = (text: string) => text.slice(0, seed % (text.length + 1));
  const host: MemoryHost = new MemoryHost(world.durable, pass, survives, () => {
    // What was replied is in the state from here on.
    world.pending = null;
  });
  const called = (name: string, effects: 'none' | 'idempotent' | 'external', approval?: string) =>
    tool(
      name,
      async (_input, { idempotencyKey }) => {
        await pass();
        world.calls.set(idempotencyKey, (world.calls.get(idempotencyKey) ?? 0) + 1);
        await pass();
        // So long that it is kept beside the state.
        return { output: `${name} done ${'.'.repeat(300)}` };
      },
      { effects, ...(approval !== undefined && { approval }) },
    );
  const model = new ScriptedModel(
    ({ messages }) =>
      stepFor(
        messages.map((one) => one),
        world.habit,
      ),
    pass,
  );
  const work = agentWork(
    model,
    [called('read', 'none'), called('write', 'idempotent'), called('send', 'external', 'send')],
    { rules: { approvals: world.approvals } },
  );
  for (let rounds = 0; ; rounds += 1) {
    if (rounds > 5) throw new Error('It asks and asks.');
    const state = stateOf(world.durable) ?? newAgentState();
    state.opening ??= work.question;
    const resume = world.pending === null ? null : { requestId: world.pending, reply: world.reply };
    const working = async () => {
      const end = await new AgentLoop(work, state, host).run(resume);
      await host.flush();
      return end;
    };
    const end = await Promise.race([working(), mortality.death]);
    if (!end) return true;
    if ('wait' in end) {
      world.pending = end.wait.request_id;
      continue;
    }
    expect((end as AgentAnswer).usage.promptTokens).toBeGreaterThanOrEqual(30);
    return false;
  }
}

function stepFor(messages: ScriptedModel['calls'][number]['messages'], habit: World['habit']) {
  const step = messages.filter(({ role }) => role === 'tool').length;
  const calls = [
    [
      { name: 'read', id: 'a' },
      { name: 'read', id: 'b' },
    ],
    [
      { name: 'write', id: 'c' },
      { name: 'send', id: 'd' },
      { name: 'read', id: 'e' },
    ],
    [],
  ][step]!;
  const text = TEXTS[step]!;
  const before = messages.at(-2);
  const isContinuing = messages.at(-1)?.role === 'user' && before?.role === 'assistant';
  if (!isContinuing || habit === 'anew') return { text, calls };
  const published = before.content.length;
  return { text: text.slice(Math.max(0, published - 25)), calls };
}

async function simulate(deaths: readonly number[], habit: World['habit']) {
  const world: World = {
    durable: newDurable(),
    approvals: new MemoryApprovals(),
    calls: new Map(),
    reply: { choice: 'once' },
    pending: null,
    habit,
  };
  let died = 0;
  for (const diesAt of [...deaths, 0]) {
    if (!(await live(world, diesAt, diesAt * 7 + died))) break;
    died += 1;
  }
  return { world, died };
}

function check({ world }: { world: World }): void {
  expect(world.durable.published).toBe(WHOLE);
  const { calls } = world;
  expect(calls.get('turn:2.2') ?? 0).toBeLessThanOrEqual(1);
  const state = stateOf(world.durable)!;
  const outcomes = outcomesIn(state.messages);
  expect(outcomes.length).toBe(5);
  const sent = outcomes[3]!;
  if (calls.get('turn:2.2') === undefined || sent.includes('nobody knows')) expect(sent).toContain('nobody knows');
  else expect(sent).toContain('send done');
  for (const place of ['1.1', '1.2', '2.1', '2.3']) expect(calls.get(`turn:${place}`)).toBeGreaterThanOrEqual(1);
  expect([...calls.keys()].every((key) => /^turn:(1\.[12]|2\.[123])$/.test(key))).toBe(true);
}

it.each(sample(['anew', 'overlap'] as const, 2))(
  'survives the death of its worker at every await point, and of the next one, with a model that goes on by %s',
  async (habit) => {
    let points = 0;
    for (let first = 1; ; first += 1) {
      const once = await simulate([first], habit);
      if (once.died === 0) break;
      points += 1;
      for (const second of SECOND_DEATHS.filter((_, at) => (at + first) % EVERY === 0)) {
        const twice = await simulate([first, second], habit);
        try {
          check(once);
          check(twice);
        } catch (error) {
          throw new Error(`Deaths at ${first} and ${second}: ${String(error)}`, { cause: error });
        }
        points += 1;
      }
    }
    expect(points).toBeGreaterThan(rounds(500, 130, 50));
  },
);
