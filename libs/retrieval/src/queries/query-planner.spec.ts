import { BadGatewayError } from '@app/common';
import type { GeneratedAnswer, LanguageModel, ModelRequest } from '@app/integrations';
import { QueryModels, type QuerySettings } from '@app/models';
import { Logger } from '@nestjs/common';
import { QueryPlanner, type PlannedQuestion } from './query-planner.js';

type Generate = (request: ModelRequest) => Promise<Pick<GeneratedAnswer, 'object'>>;

const history = [
  { role: 'user' as const, content: 'How long is the warranty of the Orion pump?' },
  { role: 'assistant' as const, content: '36 months [1].' },
];
const written = { queries: ['warranty of the Orion pump in Norway', 'warranty in Norway'] };
const never = () => new Promise<never>(() => undefined);

function planning(answer: Generate, settings: Partial<QuerySettings> = {}) {
  const generate = jest.fn(answer);
  const model = { available: true, descriptor: { id: 1 }, generate } as unknown as LanguageModel;
  const models = new QueryModels(
    { rewriting: true, splitting: true, timeoutSeconds: 30, ...settings },
    { findByName: () => null },
  );
  const planner = new QueryPlanner(models);
  const plan = (question: string, more: Partial<PlannedQuestion> = {}) =>
    planner.plan({ question, history, model, usage: { userId: 1, purpose: 'chat', turnId: 't' }, ...more });
  return { generate, model, plan };
}

describe('QueryPlanner', () => {
  beforeAll(() => void jest.spyOn(Logger.prototype, 'warn').mockReturnValue());
  afterAll(() => jest.restoreAllMocks());

  it('has a question that leans on the conversation written out, on the account of who asks', async () => {
    const { generate, plan } = planning(async () => ({ object: written }));
    expect(await plan('And in Norway?')).toEqual(written.queries);
    const [{ usage, messages, system }] = generate.mock.calls[0]!;
    expect(usage).toEqual({ userId: 1, purpose: 'query', turnId: 't' });
    expect(JSON.stringify(messages)).toContain('Orion');
    expect(system).toContain('4 at most');
  });

  it('asks once for the same question in the same conversation, and again for anybody else or anything else', async () => {
    const { generate, plan } = planning(async () => ({ object: written }));
    for (let time = 0; time < 3; time += 1) await plan('And in Norway?');
    expect(generate).toHaveBeenCalledTimes(1);
    await plan('And in Norway?', { usage: { userId: 2, purpose: 'chat' } });
    await plan('And in Norway?', { history: history.slice(0, 1) });
    await plan('And in Iceland?');
    expect(generate).toHaveBeenCalledTimes(4);
  });

  it.each([
    ['stands alone', 'How many students does Estwick College admit?', {}, {}],
    ['has no conversation', 'And in Norway?', { history: [] }, {}],
    ['may not be written out', 'And in Norway?', {}, { rewriting: false }],
    ['may not be taken apart', 'Compare Alder Street and Birch Yard.', { history: [] }, { splitting: false }],
    ['is a pasted page', 'And why? '.repeat(200), {}, {}],
  ])('asks nobody where the question %s', async (_name, question, more, settings) => {
    const { generate, plan } = planning(async () => ({ object: written }), settings);
    expect(await plan(question, more)).toEqual([]);
    expect(generate).not.toHaveBeenCalled();
  });

  it('takes one query where questions are not to be taken apart', async () => {
    const { plan } = planning(async () => ({ object: written }), { splitting: false });
    expect(await plan('And in Norway?')).toEqual(written.queries.slice(0, 1));
  });

  it('shows no conversation where nothing is to be written out', async () => {
    const { generate, plan } = planning(async () => ({ object: written }), { rewriting: false });
    await plan('Compare Alder Street and Birch Yard.');
    expect(JSON.stringify(generate.mock.calls[0]![0].messages)).not.toContain('Orion');
  });

  it('goes on without where there is no model', async () => {
    const { model, plan } = planning(async () => ({ object: written }));
    expect(await plan('why?', { model: { ...model, available: false } as LanguageModel })).toEqual([]);
  });

  it.each([
    ['refuses', () => Promise.reject(new BadGatewayError('No.', { code: 'model_error' }))],
    ['throws anything', () => Promise.reject(new TypeError('x'))],
    ['writes something else', () => Promise.resolve({ object: { answer: 'I cannot.' } })],
  ])('goes on without where the model %s', async (_name, answer) => {
    expect(await planning(answer).plan('And in Norway?')).toEqual([]);
  });

  it('waits no longer than it may for a model that listens to nothing, and leaves it alone after three times', async () => {
    const { generate, plan } = planning(never, { timeoutSeconds: 0.01 });
    for (const question of ['why?', 'and then?', 'and there?', 'and here?', 'who?'])
      expect(await plan(question)).toEqual([]);
    expect(generate).toHaveBeenCalledTimes(3);
  });

  it('ends with the reason of whoever stops it', async () => {
    const { plan } = planning(never);
    const stop = new AbortController();
    const planned = plan('why?', { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(planned).rejects.toThrow('stopped');
  });
});
