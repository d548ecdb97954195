import { OpenAiLanguageModel } from '@app/integrations';
import type { AuthoringEvent } from '@app/workflows';
import { toolCatalogue } from '@app/workflow-tools';
import { type AuthoringEval, authoringTasks, HOSTILE_NAME, repair } from '../../../../test/evals/authoring/index.js';
import { ScriptedLlm } from '../../../../test/support/scripted-llm.js';
import { portsOfTheRunner } from '../workflows/ports-of-the-runner.js';
import { WorkflowAuthor } from '@app/agents';

type Json = Record<string, unknown>;
interface Outcome {
  id: string;
  repairs: number;
  /** What was still wrong at the end. */
  left: string[];
  /** Ids of nodes that became other bytes, though nobody meant them. */
  changed: string[];
  unfit: string[];
}

const nodesOf = (spec: Json | null | undefined): Json[] => (spec?.nodes ?? []) as Json[];

/** The bar of prompt-2-workflow, with scripted answers: how much is understood at once, and what errors tell. */
describe('80 scripted tasks', () => {
  const llm = new ScriptedLlm();
  const outcomes: Outcome[] = [];
  const prompts: string[] = [];
  const { tools } = toolCatalogue.toListing(portsOfTheRunner({ hasModel: true, hasMail: true, hasExtractor: true }));
  const usable = tools.filter((tool) => tool.available && !tool.deprecated);
  const author = new WorkflowAuthor({ catalogue: toolCatalogue, tools: usable });

  beforeAll(async () => {
    await llm.start();
    for (const task of authoringTasks) outcomes.push(await run(task));
  });
  afterAll(() => llm.stop());

  async function run(task: AuthoringEval): Promise<Outcome> {
    const answers = [...task.answers];
    llm.answersPlain(({ request }) => {
      prompts.push(JSON.stringify(request.messages));
      const [system] = request.messages;
      if (String(system?.content).startsWith('You plan')) return planOf(task);
      const refused = request.messages
        .map(({ content }) => String(content))
        .findLast((text) => text.includes('was refused:'));
      if (refused) return repair(refused, task);
      // The client asks once more where an answer is none of the schema: the same model says the same again.
      return answers.length > 1 ? answers.shift()! : answers[0]!;
    });
    const events: AuthoringEvent[] = [];
    const model = new OpenAiLanguageModel({
      baseUrl: llm.env.LLM_BASE_URL!,
      model: 'scripted',
      timeouts: { totalSeconds: 30 },
    });
    const { base = null, things, prompt } = task;
    const before = JSON.stringify(base);
    const { authored } = await author.author(
      {
        prompt,
        mode: base ? 'edit' : 'build',
        base,
        workflowId: null,
        history: [],
        answers: {},
        language: null,
        things,
      },
      {
        emit: async (event) => void events.push(event),
        signal: new AbortController().signal,
        usage: { promptTokens: 0, completionTokens: 0 },
        model,
        account: { userId: 1, purpose: 'authoring' },
      },
    );
    expect(JSON.stringify(base)).toBe(before);
    const spec = authored.json_spec;
    const own = new Map(nodesOf(base).map((node) => [node.id, JSON.stringify(node)]));
    const left = authored.warnings.filter(({ code }) => PROBLEMS.has(code) || authored.status === 'failed');
    return {
      id: task.id,
      repairs: events.filter(({ data }) => data.stage === 'repairing').length,
      left: left.map(({ message }) => message),
      changed: nodesOf(spec)
        .filter((node) => own.has(node.id) && own.get(node.id) !== JSON.stringify(node))
        .map(({ id }) => String(id))
        .filter((id) => !task.mayChange?.includes(id)),
      unfit: spec ? task.judge(spec) : ['there is no definition'],
    };
  }

  it('has 30 new ones and 50 changes', () => {
    expect(authoringTasks.filter(({ base }) => !base)).toHaveLength(30);
    expect(authoringTasks.filter(({ base }) => base)).toHaveLength(50);
    expect(new Set(authoringTasks.map(({ prompt }) => prompt)).size).toBe(80);
  });

  it('are what was asked for, each of them', () => {
    expect(outcomes.filter(({ unfit, left }) => unfit.length + left.length > 0)).toEqual([]);
  });

  it('are valid at once in 85 of 100, and after repair in 98', () => {
    const atOnce = outcomes.filter(({ repairs, left }) => repairs === 0 && left.length === 0);
    const inTheEnd = outcomes.filter(({ left }) => left.length === 0);
    expect(atOnce.length / outcomes.length).toBeGreaterThanOrEqual(0.85);
    expect(inTheEnd.length / outcomes.length).toBeGreaterThanOrEqual(0.98);
  });

  it('leave every node that nobody meant as it is, to the byte', () => {
    expect(outcomes.filter(({ changed }) => changed.length > 0)).toEqual([]);
  });

  it('show names of things as data alone, and never the value of a secret', () => {
    const holding = prompts.filter((text) => text.includes(HOSTILE_NAME));
    expect(holding.length).toBeGreaterThan(50);
    for (const text of holding)
      for (const part of text.split(HOSTILE_NAME).slice(0, -1))
        expect(part.lastIndexOf('<<<DATA')).toBeGreaterThan(part.lastIndexOf('<<<END'));
  });
});

const PROBLEMS = new Set([
  'unknown_output',
  'wrong_type',
  'never_runs',
  'endless',
  'no_item',
  'no_predecessor',
  'reference_not_upstream',
  'unreachable_node',
  'next_without_outlet',
]);

function planOf({ plan, base, prompt }: AuthoringEval): string {
  const nodes = Object.entries(plan).map(([id, kind]) => ({ id, kind, name: id, next: [] }));
  return JSON.stringify({
    route: base ? 'edit' : 'build',
    message: '',
    summary: prompt,
    questions: [],
    name: 'A workflow',
    nodes,
  });
}
