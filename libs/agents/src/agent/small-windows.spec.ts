import { InvalidRequestError } from '@app/common';
import type { ModelMessage } from '@app/integrations';
import { estimatePromptTokens, estimateToolTokens } from '@app/models';
import { delimit } from '../prompts/delimiters.js';
import { planHistory } from '../work-log/plan-history.js';
import { AgentLoop, type AgentWork } from './agent-loop.js';
import { AgentTools, type AgentToolsOptions } from './agent-tools.js';
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

/** Some 250 tokens each, of which the arguments' prose is the most: 28 of them are what the platform has. */
const own = (count = 28) =>
  Array.from({ length: count }, (_, at) =>
    tool(`own_${at}`, () => ({ output: `done ${at}` }), {
      description: `Does the thing of number ${at}, and nothing else. ${'Well described. '.repeat(6)}`,
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string', title: 'Title', description: 'What it is called. '.repeat(16), maxLength: 100 },
          kind: { type: 'string', enum: ['title', 'description'], description: 'Which it is. '.repeat(16) },
        },
        required: ['title'],
        additionalProperties: false,
      },
    }),
  );
const ofServer = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    tool(`crm__record_${at}`, () => ({ output: at }), { server: 'CRM', description: `Looks record ${at} up.` }),
  );
const toolsIn = (contextTokens: number, more: Partial<AgentToolsOptions> = {}, connected = ofServer(0)) => {
  const tools = new AgentTools(own(), connected, { asksUser: true, ...more });
  tools.fitTo(contextTokens);
  return tools;
};
const namesOf = (tools: AgentTools) => tools.shown([]).map(({ name }) => name);

describe('the tools of a small window', () => {
  it('are those of a large one, byte by byte, while they take no more than a quarter', () => {
    const connected = ofServer(40);
    const whole = new AgentTools(own(), connected, { asksUser: true }).shown(['crm__record_1']);
    expect(whole).toHaveLength(28 + 40 + 1);
    expect(estimateToolTokens(whole.slice(0, 28))).toBeGreaterThan(6_000);
    for (const window of [32_000, 64_000, 128_000, 1_000_000])
      expect(JSON.stringify(toolsIn(window, {}, connected).shown(['crm__record_1']))).toBe(JSON.stringify(whole));
  });

  it('are described without what explains their arguments first', () => {
    const tools = toolsIn(16_000).shown([]);
    expect(tools.map(({ name }) => name)).toEqual([...own().map(({ name }) => name), 'ask_user']);
    expect(tools[0]!.description).toBe(own()[0]!.description.trim());
    expect(tools[0]!.inputSchema).toEqual({
      type: 'object',
      properties: { title: { type: 'string' }, kind: { type: 'string', enum: ['title', 'description'] } },
      required: ['title'],
      additionalProperties: false,
    });
    expect(estimateToolTokens(tools)).toBeLessThan(4_300);
  });

  it.each([4_000, 8_000])('of %i tokens are the first in line, and the others are named and found', (window) => {
    const tools = toolsIn(window, { first: ['own_20', 'own_7'] });
    const shown = tools.shown([]);
    expect(estimateToolTokens(shown)).toBeLessThanOrEqual(window / 4);
    const names = shown.map(({ name }) => name);
    expect(names).toContain('own_7');
    expect(names.indexOf('own_20')).toBeGreaterThan(names.indexOf('own_7'));
    expect(names).toContain('own_0');
    expect(names.slice(-2)).toEqual(['find_tools', 'ask_user']);
    const finder = shown.find(({ name }) => name === 'find_tools')!;
    expect(finder.description).toMatch(/^Finds further tools of the platform: own_\d+, .*own_27\. Their definitions/);
    expect(finder.description).not.toMatch(/own_7\b/);
    expect([tools.isDeferred('own_27'), tools.isDeferred('own_7')]).toEqual([true, false]);
  });

  it('leave those of servers an eighth, and show less of what was found where all take a half', () => {
    expect(namesOf(toolsIn(8_000, {}, ofServer(10)))).toContain('crm__record_9');
    const tools = toolsIn(8_000, {}, ofServer(100));
    expect(namesOf(tools)).not.toContain('crm__record_9');
    expect(tools.shown([])[namesOf(tools).indexOf('find_tools')]!.description).toMatch(
      /; and tools of the user's connected servers: CRM \(100\)\. /,
    );
    const many = Array.from({ length: 27 }, (_, at) => `own_${at + 1}`);
    const shown = tools.shown(many, new Set(['own_20']));
    expect(estimateToolTokens(shown)).toBeLessThanOrEqual(4_000);
    const found = shown.map(({ name }) => name).slice(namesOf(tools).length);
    // Those that were called before the newest, and all in their order.
    expect(found).toContain('own_20');
    expect(found.at(-1)).toBe('own_27');
    expect(found).toEqual(many.filter((name) => found.includes(name)));
    const tiny = toolsIn(600, { first: ['own_5'] });
    expect(namesOf(tiny)).toEqual(['own_5', 'find_tools', 'ask_user']);
    expect(tiny.shown(['own_3', 'own_4']).at(-1)!.name).toBe('own_4');
  });
});

/** Refuses what is longer than its window, as endpoints do. */
function strictModel(window: number, step: (call: ModelCall) => ScriptedStep): ScriptedModel {
  return new ScriptedModel((call) => {
    if (estimatePromptTokens(call) > window) throw new InvalidRequestError('Too long.', { code: 'context_too_long' });
    return step(call);
  });
}

async function run(work: AgentWork, opening = work.question) {
  const host = new MemoryHost(newDurable());
  const state = host.state;
  state.opening = opening;
  await new AgentLoop(work, state, host).run(null);
  await host.flush();
  return { state, text: host.durable.published };
}

const work = (
  model: ScriptedModel,
  contextTokens: number,
  more: Partial<Pick<AgentWork, 'history' | 'summary' | 'question'>> = {},
): AgentWork => ({
  ...agentWork(model, []),
  ...more,
  model: agentModel(model, { contextTokens }),
  tools: new AgentTools(own(), [], { asksUser: true }),
});

const steps = (...all: ScriptedStep[]) => {
  let at = 0;
  return () => all[at++] ?? { text: 'Done.' };
};

/** What a model that may write 7,000 tokens is asked for. */
const asked = async (contextTokens: number, contextWindow: number | null) => {
  const model = new ScriptedModel(steps({ text: 'Done.' }));
  Object.assign(model.descriptor, { contextWindow, maxOutputTokens: 7_000 });
  const small = {
    ...work(model, contextTokens),
    model: agentModel(model, { contextTokens, maxOutputTokens: 7_000 }),
  };
  await run(small);
  const [call] = model.calls;
  return { most: call!.maxOutputTokens!, prompt: estimatePromptTokens(call!) };
};

describe('a turn in a small window', () => {
  it('calls a tool that is not shown by its name, and is shown it from then on', async () => {
    const model = strictModel(4_000, steps({ calls: [{ name: 'own_27', input: { title: 'x' } }] }, { text: 'Done.' }));
    const { state, text } = await run(work(model, 4_000));
    expect(text).toBe('Done.');
    const [before, after] = model.calls.map(({ tools }) => tools!.map(({ name }) => name));
    expect(before).not.toContain('own_27');
    expect(after).toEqual([...before!, 'own_27']);
    expect(JSON.stringify(state.messages)).toContain('done 27');
  });

  it('is answered where nobody said how small it is: the tools are shown in less, too', async () => {
    const model = strictModel(4_000, steps({ text: 'Done.' }));
    const { text } = await run(work(model, 64_000));
    expect(text).toBe('Done.');
    expect(model.calls[0]!.tools).toHaveLength(29);
    expect(model.calls.length).toBeLessThan(4);
  });

  it('knows what was said last, in short where it was long', async () => {
    const results: ModelMessage[] = [
      { role: 'user', content: 'Which pump?' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'own_1', input: {} }] },
      { role: 'tool', outcomes: [{ callId: 'a', name: 'own_1', output: 'row '.repeat(9_000), isError: false }] },
      { role: 'assistant', content: 'The Orion.' },
    ];
    const history: PastExchange[] = [
      { turnId: 't1', seq: 1, question: 'First?', answer: 'old '.repeat(3_000) },
      { turnId: 't2', seq: 2, question: 'Which pump?', answer: 'The Orion.', messages: results },
    ];
    for (const [window, last] of [
      [4_000, history],
      [8_000, [history[0]!, { ...history[1]!, answer: `The Orion. ${'It leaks. '.repeat(3_000)}` }]],
    ] as const) {
      const model = strictModel(
        window,
        steps({ calls: [{ name: 'own_0', input: { title: 'x' } }] }, { text: 'Done.' }),
      );
      const question = 'Why does it leak?';
      const summary = { text: 'Notes. '.repeat(600), throughSeq: 0 };
      const { state, text } = await run(work(model, window, { history: last, question, summary }));
      expect([window, text, state.leftOut]).toEqual([window, 'Done.', ['t1']]);
      for (const { messages } of model.calls) {
        const said = JSON.stringify(messages);
        for (const known of ['Which pump?', 'The Orion.', question]) expect(said).toContain(known);
        expect(said).not.toContain('row row');
      }
      expect(estimatePromptTokens(model.calls[0]!)).toBeLessThan(window * 0.75);
    }
  });

  it('leaves out of the data that came with the question, and none of its marks and words', async () => {
    const parts = ['a.pdf', 'b.pdf'].map(
      (name, at) => `Attached ${name}.\n${delimit(`${name} ${'word '.repeat(2_000 * (at + 1))}`, name)}`,
    );
    const question = 'What is in there?';
    const model = strictModel(4_000, steps({ text: 'Words.' }));
    const { state, text } = await run(work(model, 4_000, { question }), `${parts.join('\n\n')}\n\n${question}`);
    expect(text).toBe('Words.');
    expect(state.opening).toMatch(
      /^Attached a\.pdf\.\n<<<DATA (\w+) \(a\.pdf\)\na\.pdf word [^]*characters left out[^]*\n<<<END \1\n\nAttached b\.pdf\.\n<<<DATA (\w+) [^\n]*\nb\.pdf word [^]*\n<<<END \2\n\nWhat is in there\?$/,
    );
    expect(model.calls).toHaveLength(1);
  });

  it('asks for no longer answer than there is room for', async () => {
    const { most, prompt } = await asked(8_000, 8_000);
    expect(most).toBe(8_000 - prompt);
    expect((await asked(32_000, 32_000)).most).toBe(7_000);
    // Nobody knows that it is small.
    expect((await asked(8_000, null)).most).toBe(7_000);
  });
});

const written = (characters: number) => 'row of words '.repeat(characters / 13);

describe('what a model wrote itself', () => {
  it.each([4_000, 8_000])('is told to it where its arguments are longer than a window of %i', async (window) => {
    const done: number[] = [];
    const saves = tool('save', ({ text }) => {
      done.push(String(text).length);
      return { output: 'saved' };
    });
    const model = strictModel(
      window,
      steps(
        { calls: [{ name: 'save', input: { text: written(window * 6) } }] },
        { calls: [{ name: 'save', input: { rows: Array.from({ length: window }, (_, at) => at) } }] },
        { calls: [{ name: 'save', input: { text: 'short' } }] },
        { text: 'Done.' },
      ),
    );
    Object.assign(model.descriptor, { contextWindow: window });
    const { state, text } = await run({
      ...work(model, window),
      tools: new AgentTools([saves], [], { asksUser: true }),
    });
    expect([text, done]).toEqual(['Done.', [5]]);
    expect(model.calls).toHaveLength(4);
    const told = state.messages.flatMap((one) => (one.role === 'tool' ? one.outcomes : []));
    expect(told.map(({ isError, output }) => [isError, output.includes('nothing was done')])).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    expect(JSON.stringify(state.messages)).toMatch(/characters left out.*characters of arguments left out/);
    expect(JSON.stringify(state.messages).length).toBeLessThan(window * 3);
  });

  // Where nobody said how large the window is, what an endpoint wrote is no longer than it.
  it.each([
    [26_000, 8_000],
    [39_000, null],
  ])(
    'is given back in less where %i leave no room beside it, once it was carried out',
    async (length, contextWindow) => {
      const done: number[] = [];
      const saves = tool('save', ({ text }) => {
        done.push(String(text).length);
        return { output: 'saved' };
      });
      const model = strictModel(
        8_000,
        steps(
          { text: written(13_000), calls: [{ name: 'save', input: { text: written(length) } }] },
          { text: 'Done.' },
        ),
      );
      Object.assign(model.descriptor, { contextWindow });
      const { state, text } = await run({
        ...work(model, 8_000),
        tools: new AgentTools([saves], [], { asksUser: true }),
      });
      expect([text.endsWith('Done.'), done]).toEqual([true, [length]]);
      expect(model.calls).toHaveLength(2);
      expect(JSON.stringify(state.messages)).toContain('characters left out');
    },
  );
});

it('the newest turn of a conversation is read, however long it is', () => {
  const turns = [
    { id: '00000000-0000-4000-8000-000000000001', whole: 100, brief: 50 },
    { id: '00000000-0000-4000-8000-000000000002', whole: 9_000, brief: 5_000 },
  ];
  expect(planHistory(turns, 1_600)).toEqual([{ id: turns[1]!.id, isWhole: false }]);
  expect(planHistory([], 0)).toEqual([]);
});
