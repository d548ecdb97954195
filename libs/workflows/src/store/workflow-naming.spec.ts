import { LLMock } from '@copilotkit/aimock';
import { type LanguageModel, NoLanguageModel, OpenAiLanguageModel } from '@app/integrations';
import { defineKind, parseDefinition, ToolCatalogue } from '@app/workflow-definition';
import { z } from 'zod';
import { WorkflowNaming } from './workflow-naming.js';
import { stopwatch } from '../../../../test/support/timing.js';

const tool = (kind: string, title: string) =>
  defineKind({
    kind,
    title,
    version: '1.0.0',
    description: '',
    category: { key: 'x', label: 'X' },
    icon: 'x',
    sideEffects: 'none',
    timeoutSeconds: 1,
    params: z.object({}),
    output: z.null(),
    run: () => ({ output: null }),
  });
const catalogue = new ToolCatalogue([tool('hook', 'Webhook'), tool('mail', 'Send mail')]);
const graphOf = (name: unknown, nodes: object[]) => parseDefinition({ name, nodes }, catalogue).graph!;
const chosen = (model: LanguageModel) => ({ available: model.available, choose: async () => model });
const two = [
  { id: 'n2', kind: 'mail', name: 'Mail the boss' },
  { id: 'n1', kind: 'hook', next: ['n2'] },
];

describe('WorkflowNaming', () => {
  const mock = new LLMock({ port: 0 });
  /** @param latency milliseconds before each piece of the answer */
  const ask = (reply: string, { timeoutMs = 2_000, latency = 0 } = {}) => {
    mock.resetMatchCounts();
    mock.clearFixtures();
    mock.onMessage(/./, { content: reply }, { latency });
    const model = new OpenAiLanguageModel({
      baseUrl: `${mock.url}/v1`,
      apiKey: 'k',
      model: 'm',
      timeouts: { totalSeconds: 5 },
    });
    return new WorkflowNaming(catalogue, chosen(model), timeoutMs);
  };
  beforeAll(async () => void (await mock.start()));
  afterAll(() => mock.stop());

  it.each([
    ['Given', 'Given'],
    ['  Given ', 'Given'],
    ['Given\n\u202ename', 'Given name'],
    ['', 'Webhook → Mail the boss'],
    ['untitled WORKFLOW', 'Webhook → Mail the boss'],
    [undefined, 'Webhook → Mail the boss'],
    ['x'.repeat(300), 'x'.repeat(255)],
  ])('without a model makes %j into %j', async (given, expected) => {
    const naming = new WorkflowNaming(catalogue, chosen(new NoLanguageModel()));
    expect(await naming.nameFor(graphOf(given, two), 1)).toBe(expected);
  });

  it('shortens long lists, names each step once, and dates what has none', async () => {
    const naming = new WorkflowNaming(catalogue, null);
    const many = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, kind: 'mail', name: id === 'b' ? 'a' : id }));
    many[0]!.name = 'a!';
    expect(await naming.nameFor(graphOf('', many), 1)).toMatch(/^a! → a → Send mail$|^a! → a → Send mail and \d more$/);
    expect(await naming.nameFor(graphOf('', []), 1)).toMatch(/^Workflow of \d{4}-\d\d-\d\d$/);
  });

  it('takes what the model says, without what models put around it', async () => {
    expect(await ask('"Boss Mail Alert."\nHere is why').nameFor(graphOf('', two), 1)).toBe('Boss Mail Alert');
    const sent = JSON.stringify(mock.getLastRequest()!.body);
    expect(sent).toContain('Mail the boss');
    expect(await ask('x').nameFor(graphOf('Given', two), 1)).toBe('Given');
  });

  it.each(['', '   \n', 'Untitled workflow', 'x'.repeat(200)])('falls back when it says %j', async (reply) => {
    expect(await ask(reply).nameFor(graphOf('', two), 1)).toBe('Webhook → Mail the boss');
  });

  it('falls back when it does not answer in time', async () => {
    const naming = ask('Late', { timeoutMs: 1, latency: 4_000 });
    const took = stopwatch();
    expect(await naming.nameFor(graphOf('', two), 1)).toBe('Webhook → Mail the boss');
    expect(took()).toBeLessThan(1_500);
  });
});
