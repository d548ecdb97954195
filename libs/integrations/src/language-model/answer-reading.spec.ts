import { AnswerReading } from './answer-reading.js';
import { type ModelMessage, NO_NAME } from './language-model.port.js';
import { ToolCallReading } from './tool-call-reading.js';

const tools = [{ name: 'add', inputSchema: {} }];

function reading() {
  const answer = new AnswerReading(new ToolCallReading(tools, []), 'm');
  const chunk = (more: object) => answer.read(JSON.stringify({ choices: [], ...more }));
  const delta = (fields: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: reason }] });
  return { answer, chunk, delta };
}

const callsOf = (...deltas: object[]) => {
  const { answer, delta } = reading();
  for (const one of deltas) delta(one);
  delta({}, 'tool_calls');
  return answer.end().calls.flatMap((part) => (part.type === 'tool_call' ? [part.call] : []));
};
const named = (name: unknown, more: object = {}) => ({ function: { name, arguments: '{"a":1}' }, ...more });

const piece = (content: string) => ({ choices: [{ delta: { content }, finish_reason: null }] });
/** In pieces of so many characters. */
const readText = (text: string, size: number, offered = tools, given: ModelMessage[] = []) => {
  const answer = new AnswerReading(new ToolCallReading(offered, given), 'm');
  const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    answer.read(JSON.stringify(piece(text.slice(at * size, (at + 1) * size)))),
  ).flat();
  answer.read(JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] }));
  const all = [...parts, ...answer.end().calls];
  return {
    told: all.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    calls: all.flatMap((part) => (part.type === 'tool_call' ? [part.call] : [])),
  };
};

describe('an answer that is read event by event', () => {
  it('may have its text in parts, and thoughts under either name', () => {
    const { answer, delta } = reading();
    expect(delta({ reasoning: 'Hm. ', content: [{ type: 'text', text: 'Two ' }, { type: 'image' }, null] })).toEqual([
      { type: 'reasoning', text: 'Hm. ' },
      { type: 'text', text: 'Two ' },
    ]);
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Well. ' }] };
    expect(delta({ content: [thinking] })).toEqual([{ type: 'reasoning', text: 'Well. ' }]);
    expect(delta({ content: 'parts' }, 'stop')).toEqual([{ type: 'text', text: 'parts' }]);
    expect(answer.characters).toBe('Hm. Two Well. parts'.length);
    const providerData = { madeBy: '', data: { reasoning: 'Hm. ' } };
    expect(answer.end()).toEqual({ calls: [], end: { reason: 'stop', usage: null, model: 'm', providerData } });
  });

  it('may have arguments that are written as JSON twice', () => {
    const calls = new ToolCallReading(tools, []);
    const read = (written: unknown) => calls.read('a', 'add', JSON.stringify(JSON.stringify(written)));
    expect(read({ a: 'x', b: '{"c":1}' })).toEqual({ id: 'a', name: 'add', input: { a: 'x', b: '{"c":1}' } });
    for (const none of ['{"a":1}', 'x', [1], 5])
      expect(read(none).problem).toBe('The arguments are not a JSON object.');
  });

  it('keeps what is wanted back: thoughts, entries of reasoning piece by piece, signatures of calls', () => {
    const { answer, delta } = reading();
    const piece = (more: object) =>
      delta({ reasoning: 'x', reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] });
    piece({ text: 'I ' });
    piece({ text: 'think' });
    piece({ signature: 's' });
    delta({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'e' }] });
    const call = {
      index: 0,
      id: 'a',
      function: { name: 'add', arguments: '{}' },
      extra_content: { google: { thought_signature: 't' } },
    };
    delta({ tool_calls: [call] }, 'tool_calls');
    const { calls, end } = answer.end();
    expect(end.providerData?.data).toEqual({
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'I think', signature: 's' },
        { type: 'reasoning.encrypted', index: 1, data: 'e' },
      ],
    });
    expect(calls).toMatchObject([{ call: { providerData: { data: { extra_content: call.extra_content } } } }]);
  });

  it('is a filtered one where the model refuses', () => {
    const { answer, delta } = reading();
    expect(delta({ content: null, refusal: 'I will not.' }, 'stop')).toEqual([{ type: 'text', text: 'I will not.' }]);
    expect(answer.end().end.reason).toBe('content_filter');
  });

  it('has calls whose name comes after their first arguments', () => {
    const { answer, delta } = reading();
    delta({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{"a"' } }] });
    delta({ tool_calls: [{ index: 0, function: { name: 'add', arguments: ': 1' } }] });
    delta({ tool_calls: [{ index: 0, function: { arguments: '}' } }] }, 'tool_calls');
    expect(answer.end().calls).toEqual([{ type: 'tool_call', call: { id: 'a', name: 'add', input: { a: 1 } } }]);
  });

  it('counts what the endpoint counts, if that can be', () => {
    const { answer, chunk, delta } = reading();
    delta({}, 'stop');
    chunk({ usage: { prompt_tokens: 7.4, completion_tokens: -3, prompt_tokens_details: { cached_tokens: 90 } } });
    chunk({ usage: null });
    expect(answer.end().end.usage).toEqual({ promptTokens: 7, completionTokens: 0, cachedTokens: 7 });
  });

  it('passes over what comes without choices beside the answer: counts, pings', () => {
    const { answer, delta } = reading();
    expect(answer.read('{"type": "ping"}')).toEqual([]);
    expect(delta({ content: 'Two' }, 'stop')).toEqual([{ type: 'text', text: 'Two' }]);
    expect(answer.read('{"usage": {"prompt_tokens": 7, "completion_tokens": 3}}')).toEqual([]);
    expect(answer.read('{"choices": null}')).toEqual([]);
    expect(answer.read('{"object": "chat.completion.chunk", "provider": "x"}')).toEqual([]);
    expect(answer.end().end).toMatchObject({ reason: 'stop', usage: { promptTokens: 7, completionTokens: 3 } });
    expect(() => reading().answer.readWhole({ usage: { prompt_tokens: 7 } })).toThrow('no choices');
  });

  it('takes arguments that are an object, and ids that are numbers', () => {
    const { answer, delta } = reading();
    const calls = [0, 1].map((id) => ({ index: id, id, function: { name: 'add', arguments: { a: id } } }));
    delta({ tool_calls: calls }, 'tool_calls');
    expect(answer.end().calls).toEqual([
      { type: 'tool_call', call: { id: '0', name: 'add', input: { a: 0 } } },
      { type: 'tool_call', call: { id: '1', name: 'add', input: { a: 1 } } },
    ]);
  });

  it('may come as one whole message', () => {
    const { answer, chunk } = reading();
    const calls = [1, 2].map((a) => ({ id: `c${a}`, function: { name: 'add', arguments: `{"a":${a}}` } }));
    const message = { role: 'assistant', content: 'Two.', tool_calls: calls };
    const told = chunk({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    expect(told).toEqual([{ type: 'text', text: 'Two.' }]);
    expect(answer.end()).toMatchObject({
      calls: [{ call: { id: 'c1', input: { a: 1 } } }, { call: { id: 'c2', input: { a: 2 } } }],
      end: { reason: 'tool_calls' },
    });
  });

  it.each([
    ['429', { status: 429, isPassing: true }],
    [503, { status: 503, isPassing: true }],
    [401, { status: 401, isPassing: false }],
    [7, { status: null, isPassing: true }],
    ['rate_limit_exceeded', { status: null, isPassing: true, word: 'rate_limit_exceeded' }],
  ])('knows what an error in the middle (%j) would have been at the beginning', (code, known) => {
    const { answer } = reading();
    expect(() => answer.read(JSON.stringify({ error: { code, message: 'No.' } }))).toThrow(
      expect.objectContaining({ name: 'EndpointFault', ...known }),
    );
  });

  it('may tell of an error as vLLM did, without saying that it is one', () => {
    const data = { object: 'error', message: "This model's maximum context length is 4096 tokens.", code: 400 };
    const { answer } = reading();
    expect(() => answer.read(JSON.stringify(data))).toThrow(expect.objectContaining({ isPassing: false }));
  });

  it.each([
    ['is no JSON', '{"choices"'],
    ['is no object', '7'],
    ['has no choices', '{"answer": 42}'],
    ['tells of an error in words', '{"error": "overloaded"}'],
    ['calls with a list', '{"choices": [{"delta": {"tool_calls": [[]]}}]}'],
    ['calls nothing', '{"choices": [{"delta": {"tool_calls": {"name": "add"}}}]}'],
  ])('fails at an event that %s', (_name, data) => {
    const { answer } = reading();
    expect(() => answer.read(data)).toThrow(expect.objectContaining({ name: 'EndpointFault', isPassing: true }));
  });

  it('has broken off without a reason to end', () => {
    expect(() => reading().answer.end()).toThrow('The endpoint broke off its answer.');
  });

  describe('that calls oddly', () => {
    const nameless = expect.objectContaining({ name: 'unnamed', input: {}, problem: NO_NAME }) as unknown;

    it.each([
      ['no name', [named(undefined, { index: 0, id: 'a' })]],
      ['an empty name', [named('', { index: 0, id: 'a' })]],
      ['blanks for a name', [named(' ', { index: 0 })]],
      ['no name and no number', [named(undefined, { id: 'a' })]],
      ['an empty name and nothing else', [{ function: { name: '' } }]],
    ])('has one with %s, which the model can be told of', (_name, tool_calls) => {
      expect(callsOf({ tool_calls })).toEqual([nameless]);
    });

    it('takes a name that is empty at first, and one in blanks', () => {
      const late = callsOf(
        { tool_calls: [{ index: 0, id: 'a', function: { name: '', arguments: '{"a"' } }] },
        { tool_calls: [{ index: 0, function: { name: ' add ', arguments: ':1}' } }] },
        { tool_calls: [{ index: 0, function: { name: '', arguments: '' } }] },
      );
      expect(late).toEqual([{ id: 'a', name: 'add', input: { a: 1 } }]);
    });

    it('passes over an empty one beside others', () => {
      const others = callsOf({
        tool_calls: [named('add', { index: 0, id: 'a' }), { id: 'b', function: { name: '' } }],
      });
      expect(others.map(({ name }) => name)).toEqual(['add']);
    });

    it.each([
      ['null', null, undefined],
      ['a list', [1], 'The arguments are not a JSON object.'],
      ['a number', 5, 'The arguments are not a JSON object.'],
      ['false', false, 'The arguments are not a JSON object.'],
    ])('has arguments that are %s', (_name, given, problem) => {
      const [call] = callsOf({ tool_calls: [{ index: 0, id: 'a', function: { name: 'add', arguments: given } }] });
      expect(call).toMatchObject({ name: 'add', input: {} });
      expect(call!.problem).toBe(problem);
    });

    it('has an id for each, also where they have the same or none', () => {
      const calls = [0, 1, 2, 3].map((index) => named('add', { index, ...(index < 2 && { id: 'same' }) }));
      const read = callsOf({ tool_calls: calls });
      expect(read.map(({ input }) => input)).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }, { a: 1 }]);
      expect(new Set(read.map(({ id }) => id)).size).toBe(4);
    });

    it('may call as before there could be several, in pieces, and says it twice for once', () => {
      const pieces = [{ name: 'add', arguments: '' }, { arguments: '{"a"' }, { arguments: ':1}' }];
      const old = pieces.map((function_call) => ({ function_call }));
      expect(callsOf(...old, { function_call: null })).toMatchObject([{ name: 'add', input: { a: 1 } }]);
      expect(callsOf(...old, { tool_calls: [named('add', { index: 0 })] })).toHaveLength(1);
      expect(callsOf({ function_call: { arguments: { a: 1 } } })).toEqual([nameless]);
    });

    it('may call nothing, in so many words', () => {
      const { answer, delta } = reading();
      expect(delta({ content: 'Four.', tool_calls: [] }, 'tool_calls')).toEqual([{ type: 'text', text: 'Four.' }]);
      expect(answer.end()).toMatchObject({ calls: [], end: { reason: 'tool_calls' } });
    });
  });

  describe('whose calls stand in its text', () => {
    const CALL = '{"name": "add", "arguments": {"a": 1}}';
    const add = expect.objectContaining({ name: 'add', input: { a: 1 } }) as unknown;

    it.each([
      ['alone', `<tool_call>\n${CALL}\n</tool_call>`, '', 1],
      [
        'behind words and a thought',
        `<think>Hm.</think>\n\nLet me see.\n<tool_call>${CALL}</tool_call>`,
        'Let me see.\n',
        1,
      ],
      ['two of them', `<tool_call>${CALL}</tool_call>\n<tool_call>${CALL}</tool_call>\n`, '', 2],
      ['behind code', `\`\`\`js\nlet a;\n\`\`\`\n<tool_call>${CALL}</tool_call>`, '```js\nlet a;\n```\n', 1],
      ['behind code in a line', `\`\`\`a\`\`\`\n<tool_call>${CALL}</tool_call>`, '```a```\n', 1],
      ['without its end', `Well.\n  <tool_call>${CALL}`, 'Well.\n  ', 1],
      ['as an object', `  {\n "name" : "add", "parameters": {"a": 1}}`, '  ', 1],
      ['as an object that says what it is', `{"type": "function", "name": "add", "parameters": {"a": 1}}`, '', 1],
      ['as an object of the protocol', `{"type":"function","function":${CALL}}`, '', 1],
      ['with arguments that are a text', `<tool_call>{"name":"add","arguments":"{\\"a\\":1}"}</tool_call>`, '', 1],
    ])('has them read and not told: %s', (_name, text, shown, count) => {
      for (const size of [1, 3, 1_000]) {
        const { told, calls } = readText(text, size);
        expect([size, told]).toEqual([size, shown]);
        expect(calls).toEqual(Array.from({ length: count }, () => add));
        expect(new Set(calls.map(({ id }) => id)).size).toBe(count);
      }
    });

    it.each([
      ['in a line of prose', `It writes <tool_call>${CALL}</tool_call> then.`],
      ['a sentence that begins with it', `The mark is:\n<tool_call> stands before a call,\n</tool_call> behind it.`],
      ['a mark of which nothing is shown', 'So:\n<tool_call>…</tool_call>'],
      ['in code of tildes', `So:\n~~~\n<tool_call>${CALL}</tool_call>\n~~~\nThat is all.`],
      [
        'in code within code',
        `So:\n\`\`\`\`md\n\`\`\`\n<tool_call>${CALL}</tool_call>\n\`\`\`\n\`\`\`\`\nThat is all.`,
      ],
      ['in code that is indented', `So:\n\n    <tool_call>${CALL}</tool_call>\n\nThat is all.`],
      ['many blanks behind it', `<tool_call>${' '.repeat(100)}${CALL}</tool_call>`],
      ['in code', `So:\n\`\`\`\n<tool_call>${CALL}</tool_call>\n\`\`\`\nThat is all.`],
      ['an object of another kind', '{"name": "Ada", "arguments": 3} is JSON.'],
      ['an object of another name', '{"name": "Ada", "arguments": {}}'],
      ['an object behind words', `Here: ${CALL}`],
      ['the beginning of a mark', 'a\n<tool_calls are'],
      ['JSON', '{ "city": "Amman" }'],
      ['JSON with a type', '{"type": "function", "name": "Ada"}'],
      ['JSON with another type', '{"type": "person", "name": "add"}'],
    ])('tells what is none: %s', (_name, text) => {
      for (const size of [1, 7, 1_000]) expect(readText(text, size)).toEqual({ told: text, calls: [] });
    });

    it('tells the model of one that cannot be read', () => {
      const [call] = readText('<tool_call>{"name": "add", "arguments": {"a": </tool_call>', 5).calls;
      expect(call).toMatchObject({ name: 'add', input: {}, problem: 'The arguments are not a JSON object.' });
      expect(readText('<tool_call>add a</tool_call>', 5).calls).toMatchObject([{ name: 'unnamed', problem: NO_NAME }]);
    });

    it('has no more calls than an agent could be told of', () => {
      expect(readText('<tool_call>{}</tool_call>\n'.repeat(1_000), 900).calls).toHaveLength(32);
      const many = Array.from({ length: 1_000 }, (_, at) => named('', { index: at }));
      expect(callsOf({ tool_calls: many })).toHaveLength(32);
    });

    it.each([
      ['a document', { role: 'user', content: `The manual says:\n<tool_call>\n${CALL}\n</tool_call>` }],
      [
        'a result, as JSON',
        {
          role: 'tool',
          outcomes: [{ callId: '1', name: 'add', isError: false, output: JSON.stringify({ text: `see ${CALL}` }) }],
        },
      ],
    ] satisfies [string, ModelMessage][])('makes no call of what is quoted from %s', (_name, message) => {
      const quotations = [
        `It says:\n<tool_call>\n${CALL}\n</tool_call>\nThat is all.`,
        `<tool_call>${CALL}`,
        `{ "name": "add", "arguments": {"a": 1}}`,
      ];
      for (const text of quotations)
        for (const size of [1, 7, 1_000])
          expect(readText(text, size, tools, [message])).toEqual({ told: text, calls: [] });
      const other = readText(`<tool_call>{"name": "add", "arguments": {"a": 2}}</tool_call>`, 3, tools, [message]);
      expect(other).toMatchObject({ told: '', calls: [{ name: 'add', input: { a: 2 } }] });
    });

    it('is text alone where nothing can be called', () => {
      const text = `<tool_call>${CALL}</tool_call>`;
      expect(readText(text, 4, [])).toEqual({ told: text, calls: [] });
    });
  });
});
