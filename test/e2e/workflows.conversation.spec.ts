import { randomUUID } from 'node:crypto';
import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { type HostedApp, type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Row {
  id: string;
  node_id: string;
  status: string;
  attempt_count: number;
  output: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
}

interface Question {
  node_id: string;
  question_id: string;
  message: string;
  input: { kind: string; options: { value: string }[]; fields: { name: string }[] };
  expires_at: string | null;
  run_version: number;
}

const answerPath = '/microservices/workflow/agent-message/';

const ask = (params: object = {}) => [
  { id: 'q', kind: 'ask', params: { question: 'Which city?', ...params }, next: ['z'] },
  { id: 'z', kind: 'template', params: { template: 'To {{_output.q.answer}}' } },
];

const approval = (params: object = {}) => [
  {
    id: 'a',
    kind: 'approval',
    params: { message: 'Pay?', if_approved: ['pay'], if_rejected: ['drop'], if_timeout: ['late'], ...params },
    next: ['pay', 'drop', 'late'],
  },
  ...['pay', 'drop', 'late'].map((id) => ({ id, kind: 'no_op' })),
];

describe('questions of workflows', () => {
  let platform: HostedPlatform;
  let worker: HostedApp;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    worker = await platform.host('workflow-runner');
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function start(nodes: object[]): Promise<string> {
    const created = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json: { nodes } });
    await owner.post('/microservices/workflow/rerun/', { workflow_id: created.workflow_id });
    return created.workflow_id;
  }
  const rows = async (id: string) => {
    const list = await owner.get<Row[]>(`/microservices/workflow/${id}/nodes/`);
    return Object.fromEntries(list.map((row) => [row.node_id, row]));
  };
  const asked = async (id: string): Promise<Question[]> => {
    let questions: Question[] = [];
    await until(async () => {
      questions = await owner.get<Question[]>(`/microservices/workflow/${id}/questions/`);
      return questions.length > 0;
    });
    return questions;
  };
  const statusOf = async (id: string) => (await owner.get<{ status: string }>(`/microservices/workflow/${id}/`)).status;
  const ended = (id: string) => until(async () => ['COMPLETED', 'FAILED', 'STOPPED'].includes(await statusOf(id)));
  const send = async (id: string, nodeId: string, body: object, client = owner) => {
    const response = await client.send('POST', answerPath, { workflow_id: id, node_id: nodeId, ...body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('shows a question in the row, on the socket and in the list, and goes on with the answer', async () => {
    const created = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes: ask({ expires_in_seconds: 3_600 }) },
    });
    const id = created.workflow_id;
    const socket = NodesSocket.of(platform.baseUrl, id, `token=${owner.token}`);
    await until(() => socket.frames.length > 0);
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    const [question] = await asked(id);
    const { q } = await rows(id);
    const expected = {
      status: 'question',
      question_id: question!.question_id,
      message: 'Which city?',
      input: { kind: 'text', options: [], fields: [] },
      expires_at: question!.expires_at,
      run_version: 1,
    };
    expect(question).toEqual({ node_id: q!.id, ...expected });
    expect(Date.parse(question!.expires_at!) - Date.now()).toBeGreaterThan(3_500_000);
    expect(q).toMatchObject({
      status: 'WAITING',
      output: { waiting: { reason: 'input', until: question!.expires_at }, question: expected },
    });
    await until(() => socket.frames.some(({ type }) => type === 'agent_response'));
    const frame = socket.frames.find(({ type }) => type === 'agent_response');
    expect(frame).toMatchObject({ node_id: q!.id, data: expected });
    socket.close();
    expect(await send(id, q!.id, { message: ' Zurich ' })).toEqual({
      status: 200,
      body: { status: 'accepted', workflow_id: id, node_id: q!.id, node_status: 'RUNNING' },
    });
    await ended(id);
    const after = await rows(id);
    expect(after.z!.output).toMatchObject({ text: 'To Zurich' });
    expect(after.q).toMatchObject({
      attempt_count: 1,
      output: { answer: 'Zurich', timed_out: false, answered_by: { username: owner.username }, attached_files: [] },
    });
    const late = await send(id, q!.id, { message: 'Berlin' });
    expect(late).toMatchObject({ status: 409, body: { code: 'node_not_waiting', node_status: 'COMPLETED' } });
  });

  it('takes exactly one of many answers at once, and the node goes on with that one', async () => {
    for (let round = 0; round < 3; round += 1) {
      const id = await start(ask());
      const [question] = await asked(id);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => send(id, question!.node_id, { message: `city ${index}` })),
      );
      const taken = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
      expect(taken).toHaveLength(1);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
      await ended(id);
      expect((await rows(id)).z!.output).toMatchObject({ text: `To city ${taken[0]}` });
    }
  });

  inAll('knows a message that is sent again, then and later', async () => {
    const id = await start(ask());
    const [question] = await asked(id);
    const message = { message: 'Zurich', client_message_id: randomUUID() };
    const sent = await Promise.all(Array.from({ length: 6 }, () => send(id, question!.node_id, message)));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    await ended(id);
    const again = await send(id, question!.node_id, message);
    expect(again).toMatchObject({ status: 200, body: { node_status: 'COMPLETED' } });
    const other = await send(id, question!.node_id, { ...message, client_message_id: randomUUID() });
    expect(other.status).toBe(409);
  });

  it('refuses what does not fit the question, and says where', async () => {
    const id = await start([
      {
        id: 'f',
        kind: 'form',
        params: {
          message: 'The trip',
          fields: [
            { name: 'city', label: 'City', type: 'choice', options: ['Zurich', { value: 'b', label: 'Berlin' }] },
            { name: 'nights', type: 'number' },
            { name: 'when', type: 'date', required: false },
          ],
        },
      },
    ]);
    const [question] = await asked(id);
    expect(question!.input).toMatchObject({
      kind: 'form',
      fields: [{ name: 'city' }, { name: 'nights' }, { name: 'when' }],
    });
    const wrong = await send(id, question!.node_id, { answers: { city: 'Rome', when: '2026-02-31', more: 1 } });
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        'answers.city': ['"Rome" is not a valid choice.'],
        'answers.nights': ['This field is required.'],
        'answers.when': [expect.stringContaining('YYYY-MM-DD')],
        'answers.more': ['The form has no such field.'],
      },
    });
    expect((await send(id, question!.node_id, { message: 'whatever' })).status).toBe(400);
    expect((await send(id, question!.node_id, { answers: { city: 'Berlin', nights: '3' } })).status).toBe(200);
    await ended(id);
    expect((await rows(id)).f!.output).toMatchObject({ answers: { city: 'b', nights: 3, when: null } });
  });

  it('offers choices', async () => {
    const id = await start(ask({ options: ['Zurich', 'Berlin'], multiple: true }));
    const [question] = await asked(id);
    expect((await send(id, question!.node_id, { message: 'Rome' })).status).toBe(400);
    expect((await send(id, question!.node_id, { answers: { answer: ['Berlin', 'Zurich'] } })).status).toBe(200);
    await ended(id);
    expect((await rows(id)).q!.output).toMatchObject({ answer: ['Berlin', 'Zurich'] });
  });

  const branch = async (id: string) => {
    const { pay, drop, late } = await rows(id);
    return [pay, drop, late].filter((row) => row!.status === 'COMPLETED').map((row) => row!.node_id);
  };

  it.each([
    [{ answers: { approved: true, comment: 'Fine.' } }, ['pay'], 'Fine.'],
    [{ message: 'reject' }, ['drop'], ''],
  ])('branches on an approval: %j', async (body, expected, comment) => {
    const id = await start(approval());
    const [question] = await asked(id);
    expect((await rows(id)).a!.output).toMatchObject({ waiting: { reason: 'approval' } });
    expect((await send(id, question!.node_id, body)).status).toBe(200);
    await ended(id);
    expect(await branch(id)).toEqual(expected);
    expect((await rows(id)).a!.output).toMatchObject({ comment });
  });

  inAll('takes the timeout branch, and refuses answers from then on', async () => {
    const id = await start(approval({ expires_in_seconds: 1 }));
    const [question] = await asked(id);
    await ended(id);
    expect(await branch(id)).toEqual(['late']);
    expect(await send(id, question!.node_id, { message: 'approve' })).toMatchObject({
      status: 409,
      body: { code: 'node_not_waiting', node_status: 'COMPLETED' },
    });
  });

  it('fails a question without a timeout branch', async () => {
    const id = await start(ask({ expires_in_seconds: 1 }));
    await ended(id);
    expect((await rows(id)).q).toMatchObject({ status: 'FAILED', error: { code: 'timed_out' } });
  });

  inAll('lets either the answer or the deadline win, and says which', async () => {
    const answering = [-9, -6, -3, 0, 3, 6].map(async (offsetMs) => {
      // Long enough to be seen on a machine that is busy.
      const id = await start(approval({ expires_in_seconds: 4 }));
      const [question] = await asked(id);
      const wait = Date.parse(question!.expires_at!) - Date.now() + offsetMs;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
      const { status } = await send(id, question!.node_id, { message: 'approve' });
      await ended(id);
      expect([status, await branch(id)]).toEqual(status === 200 ? [200, ['pay']] : [409, ['late']]);
    });
    await Promise.all(answering);
  });

  it('answers nobody who may not run the workflow, and no node that does not ask', async () => {
    const id = await start(ask());
    const [question] = await asked(id);
    const stranger = await HttpClient.signUp(platform.baseUrl);
    expect((await send(id, question!.node_id, { message: 'x' }, stranger)).status).toBe(404);
    expect((await stranger.send('GET', `/microservices/workflow/${id}/questions/`)).status).toBe(404);
    const viewer = await HttpClient.signUp(platform.baseUrl);
    await platform.database.dataSource.query(
      `INSERT INTO workflow_collaborators (workflow_id, user_id, role)
       SELECT $1, id, 'viewer' FROM users WHERE username = $2`,
      [id, viewer.username],
    );
    expect((await send(id, question!.node_id, { message: 'x' }, viewer)).status).toBe(403);
    expect((await viewer.send('GET', `/microservices/workflow/${id}/questions/`)).status).toBe(200);
    const { z } = await rows(id);
    expect(await send(id, z!.id, { message: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'node_not_waiting', node_status: 'PENDING' },
    });
    expect((await send(id, randomUUID(), { message: 'x' })).status).toBe(404);
    expect((await send(id, 'no-uuid', { message: 'x' })).status).toBe(400);
    expect((await send(id, question!.node_id, { message: '' })).body).toMatchObject({ message: [expect.any(String)] });
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
    expect(await send(id, question!.node_id, { message: 'x' })).toMatchObject({
      status: 409,
      body: { node_status: 'STOPPED' },
    });
  });

  inAll('keeps a question over the death of every worker, and takes the answer while none lives', async () => {
    await worker.stop();
    const runner = await platform.start('workflow-runner');
    const id = await start([
      ...ask(),
      { id: 'busy', kind: 'delay', params: { seconds: 0.9 }, next: ['busy2'] },
      { id: 'busy2', kind: 'delay', params: { seconds: 0.9 } },
    ]);
    const [question] = await asked(id);
    // It dies while it holds the run.
    await runner.kill('SIGKILL');
    expect((await send(id, question!.node_id, { message: 'Zurich' })).status).toBe(200);
    expect((await send(id, question!.node_id, { message: 'Berlin' })).status).toBe(409);
    await platform.host('workflow-runner');
    await until(async () => (await statusOf(id)) === 'COMPLETED', 30_000);
    expect((await rows(id)).z).toMatchObject({ attempt_count: 1, output: { text: 'To Zurich' } });
  });

  it('does not take an answer to the question of a run that has given way for one to the new question', async () => {
    const id = await start(ask());
    const [old] = await asked(id);
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    await until(async () => (await asked(id))[0]!.run_version === 2);
    expect(await send(id, old!.node_id, { question_id: old!.question_id, message: 'Rome' })).toMatchObject({
      status: 409,
      body: { code: 'node_not_waiting', node_status: 'WAITING' },
    });
    const [question] = await asked(id);
    const answer = { question_id: question!.question_id, message: 'Oslo' };
    const nameless = await send(id, question!.node_id, { ...answer, attached_files: [{ name: 'map' }] });
    expect(nameless.body).toEqual({ attached_files: ['Give a uid or a path.'] });
    const attached_files = ['/media/a.txt', { path: '/media/b.txt', name: 'b' }, { uid: 'c' }];
    expect((await send(id, question!.node_id, { ...answer, attached_files })).status).toBe(200);
    await ended(id);
    expect((await rows(id)).q!.output).toMatchObject({ attached_files: ['/media/a.txt', '/media/b.txt', 'c'] });
    expect((await rows(id)).z!.output).toEqual({ text: 'To Oslo' });
  });
});
