import type { ModelMessage } from '@app/integrations';
import { AgentLoop } from './agent-loop.js';
import {
  agentWork,
  MemoryHost,
  newDurable,
  ScriptedModel,
  type ScriptedStep,
  tool,
} from './simulation.spec-support.js';
import { ToolCallError } from './tool.js';

/** What a model may do at most after it has begun to go round in circles. */
const WASTED = 6;

type Call = NonNullable<ScriptedStep['calls']>[number];
/** The calls of a step, by its number from 0; text instead ends the work. */
type Script = (step: number) => Call[] | string;

const search = (query: string): Call => ({ name: 'search', input: { query } });
const page = (name: string, more: Record<string, unknown>): Call => ({ name, input: more });
const cycle =
  (...calls: Call[]): Script =>
  (step) => [calls[step % calls.length]!];
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

let count = 0;
const tools = [
  tool('search', ({ query }) => ({ output: { query: String(query).slice(0, 1), items: [] } })),
  tool('read', ({ path }) => ({ output: `The contents of ${String(path)}.` })),
  tool('list', () => ({ output: ['a', 'b'] })),
  tool('first_page', () => ({ output: { items: ['always the same', 'first page'] } })),
  tool('empty_page', ({ page: at }) => ({ output: { page: at, items: [] } })),
  tool('cursor', ({ cursor }) => ({ output: { items: [`item ${String(cursor)}`], next: cursor === 'a' ? 'b' : 'a' } })),
  tool('status', () => ({ output: { state: 'RUNNING', at: new Date(1.7e12 + (count += 1) * 1_000).toISOString() } })),
  tool('traced', () => ({ output: { ok: false, request_id: uuid((count += 1)), took: `${(count += 1)} ms` } })),
  tool('stamped', () => ({ output: { value: 1, ts: 1_700_000_000 + (count += 1) } })),
  tool('broken', ({ id }) => Promise.reject(new ToolCallError('failed', `Could not do ${String(id)}.`))),
  tool('send', () => ({ output: { sent: 1 } }), { effects: 'external' }),
  tool('save', () => ({ output: { saved: true } }), { effects: 'idempotent' }),
  tool('mcp_list', () => ({ output: { items: [] } }), { effects: 'external' }),
  tool('long', () => ({ output: 'x'.repeat(2_000) }), { effects: 'external' }),
];

const scripts: [string, Script][] = [
  ['the same search', cycle(search('a'))],
  ['the same reading', cycle(page('read', { path: 'a' }))],
  ['the same list', cycle({ name: 'list' })],
  ['the same mail', cycle({ name: 'send', input: { to: 'a' } })],
  ['the same writing', cycle({ name: 'save', input: { text: 'a' } })],
  ['arguments in another order', (step) => [page('read', step % 2 ? { path: 'a', b: 1 } : { b: 1, path: 'a' })]],
  ['A-B-A-B', cycle(page('read', { path: 'a' }), page('read', { path: 'b' }))],
  ['A-B-C', cycle(page('read', { path: 'a' }), page('read', { path: 'b' }), page('read', { path: 'c' }))],
  ['A-B over two tools', cycle({ name: 'list' }, search('a'))],
  ['A-A-B-B', (step) => [page('read', { path: step % 4 < 2 ? 'a' : 'b' })]],
  ['both at once, again and again', () => [{ name: 'list' }, page('read', { path: 'a' })]],
  ['twenty of the same at once', () => Array.from({ length: 20 }, () => ({ name: 'list' }))],
  ['other words that find nothing', (step) => [search(`a${step}`)]],
  ['words that turn', (step) => [search(['a b', 'b a', 'a  b'][step % 3]!)]],
  ['pages that never change', (step) => [page('first_page', { page: step })]],
  ['offsets behind the end', (step) => [page('empty_page', { page: 10 + step })]],
  ['larger and larger pages', (step) => [page('first_page', { limit: 10 * (step + 1) })]],
  ['cursors in a circle', (step) => [page('cursor', { cursor: step % 2 ? 'b' : 'a' })]],
  ['pages of a server whose tools may do something', (step) => [page('mcp_list', { offset: step })]],
  ['pages with contents of such a server', (step) => [page('long', { n: step })]],
  ['waiting for a state, with a clock in it', cycle({ name: 'status' })],
  ['answers with an id of their own', cycle({ name: 'traced' })],
  ['answers with a time in seconds', cycle({ name: 'stamped' })],
  ['the same failure', cycle({ name: 'broken', input: { id: 1 } })],
  ['other failures', (step) => [{ name: 'broken', input: { id: step } }]],
  ['failures and what is known', cycle({ name: 'broken', input: { id: 1 } }, { name: 'list' })],
  ['no such tool', (step) => [{ name: `none_${step}` }]],
  ['arguments that are none', () => [{ name: 'list', problem: 'The arguments are not a JSON object.' }]],
  ['no such tool and what is known', (step) => (step % 2 ? [{ name: 'none' }] : [{ name: 'list' }])],
  [
    'handles of results that are none',
    (step) => [page('read_result', { result: `r_${String(step).padStart(8, '0')}` })],
  ],
];

async function run(script: Script) {
  count = 0;
  const model = new ScriptedModel(({ messages, toolChoice }): ScriptedStep => {
    if (toolChoice === 'none') return { text: 'So far.' };
    const step = script(messages.filter((one) => one.role === 'tool').length);
    return typeof step === 'string' ? { text: step } : { calls: step };
  });
  const host = new MemoryHost(newDurable());
  const work = agentWork(model, tools, { rules: { policy: 'allow' }, limits: { maxSteps: 60 } });
  await new AgentLoop(work, { ...host.state, opening: 'What is it?' }, host).run(null);
  const told = model.calls.some(({ messages }) => outputsOf(messages).some((output) => output.includes('nothing new')));
  const refused = model.calls.some(({ messages }) =>
    outputsOf(messages).some((output) => output.includes('failed too')),
  );
  return { steps: model.calls.length - 1, told, refused, text: host.durable.published };
}

const outputsOf = (messages: readonly ModelMessage[]) =>
  messages.flatMap((one) => (one.role === 'tool' ? one.outcomes.map(({ output }) => output) : []));

describe('models that go round in circles', () => {
  it('are thirty', () => expect(scripts).toHaveLength(30));

  it.each(scripts)('%s: is ended', async (_, script) => {
    const { steps, text } = await run(script);
    // What was new is no waste: of a circle of three calls, say, its first round.
    const fresh = new Set([0, 1, 2, 3].map((step) => JSON.stringify(script(step)))).size;
    expect(steps).toBeLessThanOrEqual(Math.min(fresh, 3) + WASTED);
    expect(text).toContain('So far.');
  });

  it('are told before', async () => {
    expect(await run(cycle({ name: 'list' }))).toMatchObject({ told: true });
  });

  it('are not told that another failure says nothing new', async () => {
    expect(await run((step) => (step < 2 ? [{ name: 'broken', input: { id: step } }] : 'Done.'))).toMatchObject({
      told: false,
      refused: true,
    });
    expect(await run(cycle({ name: 'broken', input: { id: 1 } }))).toMatchObject({ told: true, refused: false });
  });

  it.each<[string, Script]>([
    ['a mail to each of ten people', (step) => (step < 10 ? [{ name: 'send', input: { to: `p${step}` } }] : 'Done.')],
    ['ten files, one after the other', (step) => (step < 10 ? [page('read', { path: `f${step}` })] : 'Done.')],
    [
      'pages that go on',
      (step) =>
        step < 10 ? [page('read', { path: 'f', page: step, n: step }), page('read', { path: `${step}` })] : 'Done.',
    ],
    [
      'a file that is written in parts',
      (step) => (step < 10 ? [{ name: 'save', input: { offset: step * 100 + 1, text: `part ${step}` } }] : 'Done.'),
    ],
    [
      'searches with one that finds',
      (step) => (step < 10 ? [search('a'), page('read', { path: `f${step}` })] : 'Done.'),
    ],
    [
      'a look at the list after each step',
      (step) => (step < 8 ? [step % 2 ? { name: 'list' } : page('read', { path: `f${step}` })] : 'Done.'),
    ],
  ])('%s is none', async (_, script) => {
    expect(await run(script)).toMatchObject({ text: 'Done.' });
  });
});

describe('models whose output is cut off', () => {
  it('are told to write arguments in parts', async () => {
    const model = new ScriptedModel(({ messages }) =>
      messages.some((one) => one.role === 'tool')
        ? { text: 'In parts, then.' }
        : { calls: [{ name: 'save', problem: 'The arguments are not a JSON object.' }], reason: 'length' },
    );
    const host = new MemoryHost(newDurable());
    await new AgentLoop(agentWork(model, tools), { ...host.state, opening: 'Q' }, host).run(null);
    expect(outputsOf(model.calls.at(-1)!.messages)).toEqual([expect.stringMatching(/Write it in parts/) as string]);
  });

  it('are told so where nothing came of it', async () => {
    const model = new ScriptedModel(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'user' && last.content.includes('cut off') ? { text: 'In short.' } : { reason: 'length' };
    });
    const host = new MemoryHost(newDurable());
    await new AgentLoop(agentWork(model, tools), { ...host.state, opening: 'Q' }, host).run(null);
    expect(host.durable.published).toBe('In short.');
  });

  it('say it where the answer goes on no further', async () => {
    const model = new ScriptedModel(() => ({ text: 'On and on.', reason: 'length' }));
    const host = new MemoryHost(newDurable());
    await new AgentLoop(agentWork(model, tools), { ...host.state, opening: 'Q' }, host).run(null);
    expect(host.durable.published).toMatch(/_The answer was cut off here/);
  });
});
