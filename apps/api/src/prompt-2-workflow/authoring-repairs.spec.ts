import { WorkflowAuthor } from '@app/agents';
import { InvalidRequestError } from '@app/common';
import { type GeneratedAnswer, type LanguageModel, type ModelRequest, OpenAiLanguageModel } from '@app/integrations';
import { toolCatalogue } from '@app/workflow-tools';
import { NO_THINGS } from '@app/workflows';
import { portsOfTheRunner } from '../workflows/ports-of-the-runner.js';

const { tools } = toolCatalogue.toListing(portsOfTheRunner({ hasModel: true, hasMail: true, hasExtractor: true }));
const author = new WorkflowAuthor({ catalogue: toolCatalogue, tools: tools.filter(({ available }) => available) });
const PLAN = {
  route: 'build',
  message: 'Done.',
  summary: 'Greets.',
  questions: [],
  name: 'Greeting',
  nodes: [{ id: 'say', kind: 'template', name: 'Say', next: [] }],
};

/** Answers with the plan, then with the draft, and cannot read what is sent back for a repair. */
function modelWith(params: object): LanguageModel {
  const node = {
    id: 'say',
    kind: 'template',
    name: 'Say',
    params_json: JSON.stringify(params),
    next: [],
    wait_for: [],
  };
  const draft = { ...PLAN, entry: ['say'], nodes: [{ ...node, on_error: 'fail', error_next: [], save_output: false }] };
  const model = new OpenAiLanguageModel({
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'scripted',
    timeouts: { totalSeconds: 5 },
  });
  const generate = ({ system, messages }: ModelRequest): Promise<GeneratedAnswer> => {
    if (messages.length > 1) return Promise.reject(new InvalidRequestError('Too long.', { code: 'context_too_long' }));
    const object = system?.startsWith('You plan') ? PLAN : draft;
    return Promise.resolve({ text: JSON.stringify(object), object } as GeneratedAnswer);
  };
  return Object.assign(Object.create(model) as LanguageModel, { generate });
}

const answerOf = async (params: object) => {
  const { authored } = await author.author(
    {
      prompt: 'Greet',
      mode: 'build',
      base: null,
      workflowId: null,
      history: [],
      answers: {},
      language: null,
      things: NO_THINGS,
    },
    {
      emit: () => Promise.resolve(),
      signal: new AbortController().signal,
      usage: { promptTokens: 0, completionTokens: 0 },
      model: modelWith(params),
      account: { userId: 1, purpose: 'authoring' },
    },
  );
  return authored;
};

describe('a repair that does not fit into the model', () => {
  it('leaves what was written, with its problems, and blames nobody’s message', async () => {
    expect(await answerOf({ template: 7, nonsense: [] })).toMatchObject({
      status: 'failed',
      warnings: expect.arrayContaining([expect.objectContaining({ node_id: 'say' })]) as unknown,
    });
  });
});
