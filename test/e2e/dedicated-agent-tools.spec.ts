import { newId } from '@app/common';
import { AgentsPlatform } from '../support/agents-platform.js';
import { ChatSocket } from '../support/chat-socket.js';
import { EventStream } from '../support/event-stream.js';
import type { HttpClient } from '../support/http-client.js';
import type { Asked, ScriptedAnswer, ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Run {
  id: string;
  status: string;
  output: string | null;
  job_id: string | null;
  pending_approvals: { request_id: string; description: string; command: string }[];
}
interface Job {
  id: string;
  name: string;
  prompt: string;
  state: string;
  schedule_display: string;
}

const AGENT = '/microservices/dedicated-agent/';
const JOBS = `${AGENT}jobs/`;

const node = (id: string, kind: string, params: object, next: string[]) => ({
  id,
  kind,
  name: id,
  params_json: JSON.stringify(params),
  next,
  wait_for: [],
  on_error: 'fail',
  error_next: [],
  save_output: false,
});
const PLAN = {
  route: 'build',
  message: 'Here it is.',
  summary: 'Greets whoever calls.',
  questions: [],
  name: 'Greeter',
  nodes: [
    { id: 'start', kind: 'manual_trigger', name: 'Start', next: ['greet'] },
    { id: 'greet', kind: 'template', name: 'Greet', next: [] },
  ],
};
const DEFINITION = {
  name: 'Greeter',
  summary: 'Greets whoever calls.',
  message: 'Here it is.',
  entry: ['start'],
  nodes: [node('start', 'manual_trigger', {}, ['greet']), node('greet', 'template', { template: 'Hello there' }, [])],
  suggestions: ['Send it by e-mail.'],
  questions: [],
};

const jobsOf = async (client: HttpClient) => (await client.get<{ jobs: Job[] }>(`${JOBS}?include_disabled=true`)).jobs;
const get = (client: HttpClient, id: string) => client.get<Run>(`${AGENT}runs/${id}/`);
const reaches = async (client: HttpClient, id: string, ...statuses: string[]) => {
  let run = await get(client, id);
  await until(async () => statuses.includes((run = await get(client, id)).status));
  return run;
};
const ends = (client: HttpClient, id: string) => reaches(client, id, 'completed', 'failed', 'cancelled');
const answer = async (client: HttpClient, id: string, choice: string) => {
  const { pending_approvals: pending } = await reaches(client, id, 'waiting_for_approval');
  await client.post(`${AGENT}runs/${id}/approval/`, { choice });
  return pending[0]!;
};
/** One call, and then what it gave. */
const once =
  (name: string, input: object) =>
  ({ results }: Asked): ScriptedAnswer =>
    results.length === 0 ? { calls: [{ name, arguments: { ...input } }] } : { text: results[0]! };
const start = (client: HttpClient, input = 'Do it.') => client.post<Run>(`${AGENT}runs/`, { input });

describe('what a dedicated agent can do', () => {
  let agents: AgentsPlatform;
  let llm: ScriptedLlm;
  const sockets: ChatSocket[] = [];

  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api', 'workflow-runner']);
    ({ llm } = agents);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.cut();
  });
  afterAll(() => agents?.stop());

  /** A run that makes one call, which is allowed where it is asked about. */
  async function calls(client: HttpClient, name: string, input: object, choice?: string): Promise<string> {
    llm.answers(once(name, input));
    const { id } = await start(client);
    if (choice !== undefined) await answer(client, id, choice);
    return (await ends(client, id)).output ?? '';
  }

  it('has everything of its person at hand, and its jobs', async () => {
    const client = await agents.owner();
    llm.answers(() => ({ text: 'Yes.' }));
    const { id } = await start(client);
    await ends(client, id);
    expect(llm.asked[0]!.tools).toEqual(
      expect.arrayContaining([
        'semantic_search',
        'list_documents',
        'save_document',
        'list_tables',
        'database_query',
        'file_writer',
        'publish_artifact',
        'dashboard',
        'list_workflows',
        'run_workflow',
        'workflow_result',
        'build_workflow',
        'remember',
        'forget',
        'list_jobs',
        'create_job',
        'change_job',
        'job_action',
        'delete_job',
      ]),
    );
    expect(llm.asked[0]!.tools).not.toContain('ask_user');
    await client.post('/microservices/agent/chat/', { message: 'Hello.', conversation_id: newId() });
    expect(llm.asked.at(-1)!.tools).not.toContain('create_job');
  });

  it('sets its jobs in words, once its person allows it', async () => {
    const client = await agents.owner();
    const news = { name: 'News', prompt: 'Tell the news.', schedule: 'weekdays at 9', timezone: 'Europe/Berlin' };
    await calls(client, 'create_job', news, 'deny');
    expect(await jobsOf(client)).toEqual([]);
    llm.answers(once('create_job', news));
    const run = await start(client);
    const { description, command } = await answer(client, run.id, 'once');
    expect(description).toContain('Create the job "News", weekdays at 9: Tell the news.');
    expect(command).toContain('Europe/Berlin');
    await ends(client, run.id);
    const [job] = await jobsOf(client);
    expect(job).toMatchObject({ name: 'News', schedule_display: 'weekdays at 09:00', state: 'scheduled' });
    expect(await calls(client, 'list_jobs', {})).toContain(job!.id);
    await calls(client, 'change_job', { job_id: job!.id, schedule: 'every 2h' }, 'once');
    expect((await jobsOf(client))[0]).toMatchObject({ name: 'News', schedule_display: 'every 2h' });
    await calls(client, 'job_action', { job_id: job!.id, action: 'pause' });
    expect((await jobsOf(client))[0]).toMatchObject({ state: 'paused' });
    await calls(client, 'job_action', { job_id: job!.id, action: 'resume' }, 'once');
    expect((await jobsOf(client))[0]).toMatchObject({ state: 'scheduled' });
    await calls(client, 'delete_job', { job_id: job!.id }, 'once');
    expect(await jobsOf(client)).toEqual([]);
  });

  inAll('asks again for another job than the one that is always allowed', async () => {
    const client = await agents.owner();
    const job = { name: 'A', prompt: 'Do A.', schedule: 'every 1d' };
    await calls(client, 'create_job', job, 'always');
    await calls(client, 'create_job', job);
    expect(await jobsOf(client)).toHaveLength(2);
    await calls(client, 'create_job', { ...job, schedule: 'every 1m' }, 'deny');
    await calls(client, 'create_job', { ...job, prompt: 'Do B.' }, 'deny');
    expect(await jobsOf(client)).toHaveLength(2);
  });

  inAll('is told clearly what is wrong, and reaches no job of anybody else', async () => {
    const [client, other] = [await agents.owner(), await agents.owner()];
    const foreign = await other.post<Job>(JOBS, { name: 'Theirs', prompt: 'P', schedule: 'every 1d' });
    const job = { name: 'A', prompt: 'Do A.', schedule: 'every 1d' };
    expect(await calls(client, 'create_job', { ...job, schedule: 'when it rains' }, 'once')).toMatch(/schedule|words/i);
    expect(await calls(client, 'create_job', { ...job, timezone: 'Mars/Base' }, 'once')).toContain('time zone');
    expect(await calls(client, 'create_job', { ...job, prompt: 'x'.repeat(5001) }, 'once')).toContain('prompt');
    for (const [id, name, more] of [
      [foreign.id, 'change_job', { name: 'Mine' }],
      [foreign.id, 'job_action', { action: 'run' }],
      [foreign.id, 'delete_job', {}],
      ['%00', 'delete_job', {}],
    ] as const)
      expect(await calls(client, name, { job_id: id, ...more }, 'once')).toContain('Job not found');
    expect(await calls(client, 'job_action', { job_id: foreign.id, action: 'pause' })).toContain('Job not found');
    expect(await calls(client, 'job_action', { job_id: foreign.id, action: 'explode' }, 'once')).toContain('action');
    expect(await calls(client, 'list_jobs', {})).not.toContain(foreign.id);
    expect(await jobsOf(other)).toMatchObject([{ name: 'Theirs', state: 'scheduled' }]);
    expect(await jobsOf(client)).toEqual([]);
  });

  inAll('lets a job make jobs, which make none, and no job run another', async () => {
    const client = await agents.owner();
    const child = { name: 'Child', prompt: 'Do child.', schedule: 'every 1d' };
    const grandchild = { name: 'Grandchild', prompt: 'Do grandchild.', schedule: 'every 1d' };
    const parent = await client.post<Job>(JOBS, { name: 'Parent', prompt: 'Do parent.', schedule: 'every 1d' });
    let said = '';
    const work = (call: { name: string; arguments: Record<string, unknown> }) =>
      llm.answers(({ results }) => {
        said = results.at(-1) ?? said;
        return results.length === 0 ? { calls: [call] } : { text: 'Done.' };
      });
    const runs = async (job: Job) => {
      await client.post(`${JOBS}${job.id}/run/`, {});
      let run: Run | undefined;
      await until(async () => {
        const { results } = await client.get<{ results: Run[] }>(`${AGENT}runs/?status=waiting_for_approval`);
        return (run = results.find(({ job_id: id }) => id === job.id)) !== undefined;
      });
      await client.post(`${AGENT}runs/${run!.id}/approval/`, { choice: 'once' });
      await ends(client, run!.id);
    };
    work({ name: 'create_job', arguments: child });
    await runs(parent);
    const made = (await jobsOf(client)).find(({ name }) => name === 'Child')!;
    expect(made).toBeDefined();
    work({ name: 'create_job', arguments: grandchild });
    await runs(made);
    expect(said).toContain('A job that another job made makes no jobs.');
    work({ name: 'job_action', arguments: { job_id: made.id, action: 'run' } });
    await runs(parent);
    expect(said).toContain('What a job began has no job run.');
    expect(await jobsOf(client)).toHaveLength(2);
  });

  it('builds a workflow, shows it while it comes into being, and runs it', async () => {
    const client = await agents.owner();
    llm.answersPlain(({ request }) => {
      const text = JSON.stringify(request);
      if (text.includes('params_json')) return JSON.stringify(DEFINITION);
      return text.includes('route') ? JSON.stringify(PLAN) : '{}';
    });
    llm.answers(({ results }) =>
      results.length === 0
        ? { calls: [{ name: 'build_workflow', arguments: { request: 'Greet whoever calls.' } }] }
        : { text: results[0]! },
    );
    const { agent_id: agent } = await client.get<{ agent_id: string }>(`${AGENT}activity/`);
    const channel = `/ws/dedicated-agent/${agent}/`;
    const socket = new ChatSocket(agents.platform.baseUrl, '', { client, channel });
    sockets.push(socket);
    await socket.opened;
    const { run_id: id } = await client.post<{ run_id: string }>(`${AGENT}chat/stream`, {
      message: 'Build a greeter.',
    });
    const { description } = await answer(client, id, 'once');
    expect(description).toContain('Build a workflow: Greet whoever calls.');
    await until(() => socket.answers(id).some(({ status }) => status === 'completed'));
    const { results } = await client.get<{ results: { id: string; name: string }[] }>('/microservices/workflow/');
    expect(results).toMatchObject([{ name: 'Greeter' }]);
    const frames = socket.telemetry('stage:workflow', id).map(({ event }) => event as Record<string, unknown>);
    expect(frames).toMatchObject([
      {
        phase: 'skeleton',
        route: 'build',
        json_spec: {
          nodes: [
            { id: 'start', kind: 'manual_trigger' },
            { id: 'greet', kind: 'template' },
          ],
        },
        workflow_id: null,
        content_revision: null,
        questions: [],
        suggestions: [],
        warnings: [],
      },
      {
        phase: 'final',
        route: 'build',
        workflow_id: results[0]!.id,
        content_revision: 1,
        summary: 'Greets whoever calls.',
        suggestions: ['Send it by e-mail.'],
        json_spec: { nodes: [{ id: 'start' }, { id: 'greet', params: { template: 'Hello there' } }] },
      },
    ]);
    const again = new ChatSocket(agents.platform.baseUrl, '', {
      client,
      channel,
      query: `&turn_id=${id}&last_seq=0`,
    });
    sockets.push(again);
    await until(() => again.telemetry('stage:workflow', id).length === 2);
    const stream = new EventStream(`${agents.platform.baseUrl}${AGENT}runs/${id}/events/`, client);
    await stream.ended;
    const stages = stream.events.map(({ data }) => data).filter(({ event_type: type }) => type === 'stage:workflow');
    expect(stages).toMatchObject(frames.map((stage) => ({ event: 'stage', stage })));

    expect(await calls(client, 'run_workflow', { workflow_id: results[0]!.id }, 'once')).toContain('Hello there');
    const stranger = await agents.owner();
    for (const workflow of [results[0]!.id, newId()])
      expect(await calls(stranger, 'build_workflow', { request: 'Break it.', workflow_id: workflow }, 'once')).toMatch(
        /not found|no such/i,
      );
    expect(await calls(client, 'build_workflow', { request: 'X', workflow_id: 'x' }, 'once')).toContain('workflow_id');
  });
});
