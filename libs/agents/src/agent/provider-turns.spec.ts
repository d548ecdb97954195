import { loadConfig } from '@app/config';
import { createLanguageModels, UsageLedger } from '@app/models';
import { Logger } from '@nestjs/common';
import { hash } from 'node:crypto';
import { LONG, isTurnOf, sample } from '../../../../test/support/long.js';
import { AnthropicDouble } from '../../../../test/support/vendors/anthropic-double.js';
import { ChatDouble } from '../../../../test/support/vendors/chat-double.js';
import { chatProfile } from '../../../../test/support/vendors/chat-profiles.js';
import { GeminiDouble } from '../../../../test/support/vendors/gemini-double.js';
import { ResponsesDouble } from '../../../../test/support/vendors/responses-double.js';
import { signed, stepAt, STEPS, type VendorDouble } from '../../../../test/support/vendors/vendor-double.js';
import { AgentLoop } from './agent-loop.js';
import { agentModel, agentWork, MemoryHost, newDurable, tool } from './simulation.spec-support.js';

/**
 * Turns of twenty steps against servers that check each byte of what goes back to them: with a worker that is killed
 * again and again, and with a stand-in of another vendor that takes some of the steps.
 */
const VENDORS: (() => VendorDouble)[] = [
  () => new AnthropicDouble(),
  () => new GeminiDouble(),
  () => new ResponsesDouble(),
  ...['deepseek', 'gemini-compat', 'openrouter-claude', 'groq', 'mistral', 'vllm-gemma'].map(
    (name) => () => new ChatDouble(chatProfile(name)),
  ),
];
/** In a short run the answers of every second one break off, and the workers of the others die. */
const NAMED = VENDORS.map((make, index) => [make().name, index] as const);
/** What may be refused once each, since nobody can know it beforehand. */
const LEARNED = 6;

const doubles: VendorDouble[] = [];
async function started(index: number): Promise<VendorDouble> {
  const double = VENDORS[index % VENDORS.length]!();
  doubles.push(double);
  await double.start();
  return double;
}
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['error', 'warn', 'log']));
afterEach(() => doubles.splice(0).forEach((double) => double.stop()));

function modelOf(first: VendorDouble, second: VendorDouble) {
  const models = [
    { id: 1, name: 'First', fallback: 2, max_retries: 0, ...first.definition() },
    { id: 2, name: 'Second', max_retries: 0, ...second.definition() },
  ];
  const { models: configured } = loadConfig({
    DATABASE_URL: 'postgres://localhost/atrium',
    REDIS_URL: 'redis://localhost',
    SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
    LLM_MODELS: JSON.stringify(models),
  });
  return createLanguageModels(configured, new UsageLedger(null, 'USD')).default;
}

/** @param killEvery after so many writes a worker dies; 0: never */
async function turn(first: VendorDouble, second: VendorDouble, killEvery: number) {
  const model = modelOf(first, second);
  const durable = newDurable();
  let looks = 0;
  const look = tool('look', ({ at }) => {
    looks += 1;
    return { output: `There is ${String(at)}.` };
  });
  for (let lives = 1; ; lives += 1) {
    if (lives > 100) throw new Error('It never ends.');
    let writes = 0;
    const death = Promise.withResolvers<null>();
    const pass = async () => {
      writes += 1;
      if (killEvery === 0 || writes < killEvery + (lives % 3)) return;
      host.die();
      death.resolve(null);
      await new Promise(() => undefined);
    };
    const host: MemoryHost = new MemoryHost(durable, pass);
    const work = agentWork(model, [look], {
      model: agentModel(model, { maxOutputTokens: 9000 }),
      reasoningEffort: 'low',
      limits: { maxSteps: STEPS + 5 },
    });
    const { state } = host;
    state.opening ??= work.question;
    const end = await Promise.race([new AgentLoop(work, state, host).run(null), death.promise]);
    host.controller.abort(new Error('This worker is dead.'));
    if (end) return { end, state, looks, lives, text: host.published.text };
  }
}

describe('a turn of twenty steps', () => {
  it.each(sample(NAMED, 2))('comes to its end at %s', async (_name, index) => {
    const first = await started(index);
    const { state, text } = await turn(first, await started(index + 1), 0);
    expect(text).toContain(`Done after ${STEPS} looks.`);
    expect(state.steps).toBe(STEPS + 1);
    expect(first.refusals.length).toBeLessThanOrEqual(LEARNED);
    expect(first.requests - first.refusals.length).toBe(STEPS + 1);
    // The first thought went along to the last step, as it was signed.
    const signature = signed(first.name, stepAt(0).thought);
    const isSigning = !['deepseek', 'groq', 'mistral', 'vllm-gemma'].includes(first.name);
    expect(JSON.stringify(first.taken.at(-1)).includes(signature)).toBe(isSigning);
  });

  it.each(NAMED.filter(([, at]) => isTurnOf(0, 2, at)))(
    'goes on after answers that break off at %s',
    async (_name, index) => {
      const first = await started(index);
      first.cuts = (request) => request % 4 === 2;
      const { text, state } = await turn(first, await started(index + 1), 0);
      expect(text).toContain(`Done after ${STEPS} looks.`);
      expect(state.steps).toBe(STEPS + 1);
      expect(first.refusals.length).toBeLessThanOrEqual(LEARNED);
    },
  );

  it.each(NAMED.filter(([, at]) => isTurnOf(1, 2, at)))('survives its workers at %s', async (_name, index) => {
    const first = await started(index);
    const { text, looks, lives } = await turn(first, await started(index + 1), 9);
    expect(text).toContain(`Done after ${STEPS} looks.`);
    expect(looks).toBeGreaterThanOrEqual(STEPS);
    expect(lives).toBeGreaterThan(3);
    expect(first.refusals.length).toBeLessThanOrEqual(LEARNED);
  });

  // In a short run each vendor once as the first and once as the second.
  const pairs = VENDORS.flatMap((_, first) =>
    (LONG ? [1, 2, 3, 4, 5, 6, 7, 8] : [4]).map((by) => [first, (first + by) % VENDORS.length] as const),
  );
  it.each(sample(pairs, 4))('goes on with another vendor, and back (%i, %i)', async (one, other) => {
    const first = await started(one);
    const second = await started(other);
    first.fails = (request) => request % 4 === 0;
    const { text, lives } = await turn(first, second, one % 2 === 0 ? 0 : 11);
    expect([first.name, second.name, text]).toEqual([
      first.name,
      second.name,
      expect.stringContaining(`Done after ${STEPS} looks.`),
    ]);
    expect(second.taken.length).toBeGreaterThan(1);
    expect(lives).toBeLessThan(100);
    for (const { refusals } of [first, second]) expect(refusals.length).toBeLessThanOrEqual(LEARNED);
  });
});
