import { AnswerReading } from './answer-reading.js';
import { ToolCallReading } from './tool-call-reading.js';

const tools = [{ name: 'add', inputSchema: {} }];

function reading() {
  const answer = new AnswerReading(new ToolCallReading(tools, []), 'm');
  const chunk = (more: object) => answer.read(JSON.stringify({ choices: [], ...more }));
  const delta = (fields: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: reason }] });
  return { answer, chunk, delta };
}

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

  it('has broken off without a reason to end, or with a call without a name', () => {
    expect(() => reading().answer.end()).toThrow('The endpoint broke off its answer.');
    const { answer, delta } = reading();
    delta({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] }, 'tool_calls');
    expect(() => answer.end()).toThrow('a call without a name');
  });
});
