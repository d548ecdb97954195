import type { ModelMessage } from '@app/integrations';
import { sharedPrefix } from '../../../../test/support/conversation-player.js';
import { briefMessages, wholeMessages } from '../work-log/past-turn.js';
import { turnWorkOf, uidsOf } from '../work-log/turn-work.js';
import { AgentLoop } from './agent-loop.js';
import { AgentTools } from './agent-tools.js';
import type { PastExchange } from './context-messages.js';
import {
  agentModel,
  agentWork,
  MemoryHost,
  type ModelCall,
  newDurable,
  ScriptedModel,
  type ScriptedStep,
  tool,
} from './simulation.spec-support.js';

const bytesOf = ({ system, messages }: ModelCall): string => JSON.stringify([system, messages]);
const shares = (calls: readonly ModelCall[]): number[] =>
  calls.slice(1).map((call, at) => sharedPrefix(bytesOf(calls[at]!), bytesOf(call)));

/** Some text of that length, which does not repeat. */
const text = (length: number, word: string): string =>
  Array.from({ length: Math.ceil(length / (word.length + 6)) }, (_, at) =>
    `${word} ${at}`.padEnd(word.length + 6),
  ).join('');

async function play(
  steps: readonly ScriptedStep[],
  history: readonly PastExchange[],
  more: { contextTokens?: number } = {},
) {
  let at = 0;
  const model = new ScriptedModel(() => steps[at++]!);
  const read = tool('read', ({ length }) => ({ output: text(Number(length), 'lorem') }));
  const many = Array.from({ length: 50 }, (_, index) => tool(`crm__tool_${index}`, () => ({ output: index })));
  const work = {
    ...agentWork(model, [read], { history, question: 'What is it?' }),
    model: agentModel(model, more),
    tools: new AgentTools([read], many, { asksUser: true, shownTokens: 0 }),
  };
  work.rules.resultCharacters = 40_000;
  const host = new MemoryHost(newDurable());
  const state = host.state;
  state.opening = '[Notes of the platform]\nTime: now.\n[End of the notes]\n\nWhat is it?';
  await new AgentLoop(work, state, host).run(null);
  await host.flush();
  const row = { id: 't', seq: '1', status: 'completed', errorCode: '', question: 'What is it?', answer: 'Done.' };
  const turn = turnWorkOf(state, { status: 'completed', errorCode: '', told: host.published.text }, new Set());
  const messages = wholeMessages(turn, row, new Set(uidsOf(turn)));
  const past: PastExchange = { turnId: 't', seq: 1, question: row.question, answer: row.answer, messages };
  return { calls: model.calls, past, state };
}

const reads = (length: number): ScriptedStep => ({ calls: [{ name: 'read', input: { length } }] });
const done: ScriptedStep = { text: 'Done.' };

describe('the prompts of a conversation', () => {
  it('begin as the one before: within a turn, and in the next one', async () => {
    const first = await play([reads(3_000), reads(4_000), reads(5_000), done], []);
    const second = await play([reads(2_000), done], [first.past]);
    expect(Math.min(...shares([...first.calls, ...second.calls]))).toBe(1);
    const ids = second.calls[1]!.messages.flatMap((one) =>
      one.role === 'assistant' ? (one.toolCalls ?? []).map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(4);
  });

  it('also where tools were searched: they come behind those that were there', async () => {
    const finds: ScriptedStep = { calls: [{ name: 'find_tools', input: { query: 'tool 7' } }] };
    const { calls, state } = await play(
      [finds, reads(500), { calls: [{ name: 'find_tools', input: { query: 'tool 31' } }] }, done],
      [],
    );
    expect(Math.min(...shares(calls))).toBe(1);
    for (const [at, { tools = [] }] of calls.slice(1).entries()) {
      const before = calls[at]!.tools!.map(({ name }) => name);
      expect(tools.map(({ name }) => name).slice(0, before.length)).toEqual(before);
    }
    expect(calls.at(-1)!.tools!.length).toBeGreaterThan(calls[0]!.tools!.length + 8);
    expect(state.loadedTools.length).toBeGreaterThan(8);
  });

  it('also after a compaction, from the next step on', async () => {
    const steps = Array.from({ length: 12 }, (_, at) => reads(6_000 + 20 * at));
    const { calls, past } = await play([...steps, done], [], { contextTokens: 12_000 });
    const all = shares(calls);
    const compactions = all.filter((share) => share < 0.95);
    expect(compactions.length).toBeGreaterThan(0);
    expect(compactions.length).toBeLessThanOrEqual(4);
    // The notes that stand for its first steps go on standing there.
    const next = await play([done], [past], { contextTokens: 12_000 });
    expect(next.calls[0]!.messages[0]).toEqual(calls.at(-1)!.messages[0]);
  });

  it('share most of a turn that read much with the one after it', async () => {
    const first = await play([reads(11_000), reads(11_000), reads(9_000), reads(2_000), done], []);
    const second = await play([done], [first.past]);
    expect(shares([first.calls.at(-1)!, second.calls[0]!])[0]).toBeGreaterThanOrEqual(0.8);
    const long = await play([reads(30_000), reads(30_000), reads(30_000), done], []);
    // In short: more would fill what the next turns have.
    expect(JSON.stringify(long.past.messages).length).toBeLessThan(60_000);
  });
});

describe('earlier turns', () => {
  const row = { id: 't', seq: '1', status: 'failed', errorCode: 'model_error', question: 'Q', answer: '' };

  it('say what came with them, and how they ended', () => {
    const uid = '6f9619ff-8b86-4011-b42d-00c04fc964ff';
    const brief = briefMessages(row, [{ name: 'a.pdf', file: uid, uid, kind: 'text' }]);
    expect(brief).toEqual([
      { role: 'user', content: `[Attached file "a.pdf" (uid ${uid})]\n\nQ` },
      { role: 'assistant', content: '[The work broke off here: model_error.]' },
    ]);
  });

  it('keep of calls what providers want back, and give nothing of what may not be read any more', async () => {
    const uid = '6f9619ff-8b86-4011-b42d-00c04fc964ff';
    const { state } = await play([reads(100), done], []);
    const [asked, told, answer] = state.messages;
    const madeBy = { madeBy: 'x', data: { signature: 's' } };
    state.messages = [
      { ...(asked as Extract<ModelMessage, { role: 'assistant' }>), providerData: madeBy },
      {
        role: 'tool',
        outcomes: (told as Extract<ModelMessage, { role: 'tool' }>).outcomes.map((one) => ({
          ...one,
          output: `of ${uid}: secret`,
        })),
      },
      answer!,
    ];
    const work = turnWorkOf(state, { status: 'completed', errorCode: '', told: 'Done.' }, new Set([uid]));
    expect(uidsOf(work)).toEqual([uid]);
    expect(wholeMessages(work, row, new Set([uid]))).toMatchObject([
      { role: 'user' },
      { role: 'assistant', providerData: madeBy },
      { role: 'tool', outcomes: [{ output: `of ${uid}: secret` }] },
      { role: 'assistant', content: 'Done.' },
    ]);
    expect(JSON.stringify(wholeMessages(work, row, new Set()))).not.toContain('secret');
  });

  it('end with an answer and an outcome for each call, wherever they were stopped', async () => {
    const { state } = await play([reads(100), done], []);
    const call = { id: 'lost', name: 'send', input: {} };
    state.messages = [...state.messages.slice(0, 2), { role: 'assistant', content: 'Now.', toolCalls: [call] }];
    state.calls = [{ call, place: '2.1', status: 'started' }];
    state.isAnswered = false;
    state.textLength = 4;
    const { messages } = turnWorkOf(state, { status: 'interrupted', errorCode: '', told: 'Now.' }, new Set());
    expect(messages.slice(-2)).toMatchObject([
      {
        role: 'tool',
        outcomes: [{ callId: 'lost', isError: true, output: expect.stringContaining('nobody knows') as string }],
      },
      { role: 'assistant', content: '[The user stopped this here.]' },
    ]);
  });
});
