import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT, HermesPlatform, RUNS, textIn } from '../support/hermes/hermes-platform.js';
import type { Generation, Step } from '../support/hermes/hermes-server.js';
import { stride } from '../support/long.js';
import { until } from '../support/until.js';

interface Message {
  id: number;
  role: string;
  message: string;
  status: string;
  chat_session_id: number;
  turn_id: string;
  generated_files_urls: string[];
}

const counts = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});
const say = (delta: string): Step => ({ event: 'message.delta', delta });
const tool = (name: string): Step[] => [
  { event: 'tool.started', tool: name, preview: 'curl -H "Authorization: Bearer abcdef12" https://u:p4ss@x.example' },
  { event: 'tool.completed', tool: name, duration: 0.25, error: false },
];
const done = (output: string, usage: object = counts(3, 4)): Step => ({ event: 'run.completed', output, usage });
const ask = (id: string): Step => ({ event: 'approval.request', request_id: id, command: `rm ${id}` });

describe.each<Generation>(['G1', 'G2', 'G3'])('agents at a gateway of hermes, %s', (generation) => {
  let hermes: HermesPlatform;
  beforeAll(async () => {
    hermes = await HermesPlatform.start(generation);
  });
  afterAll(() => hermes?.stop());

  const plays = (...script: Step[]) => (hermes.server.scripts = [script]);
  const messages = async () => (await hermes.user.get<{ messages: Message[] }>(`${AGENT}messages/`)).messages;
  const talk = (message: string, more: object = {}) =>
    hermes.user.post<{ run_id: string; chat_session_id: number }>(`${AGENT}chat/stream`, { message, ...more });

  it('do a task, which is told to whoever listens, from any place, while they work and after', async () => {
    plays(say('Grüße, '), ...tool('search'), 50, say('da ist '), say('es: ✓'), done('da ist es: ✓'));
    const run = await hermes.create('Find it.', { instructions: 'Be exact.', model: 'theirs' });
    const live = hermes.stream(run.id);
    expect(await hermes.ended(run.id)).toMatchObject({
      status: 'completed',
      output: 'da ist es: ✓',
      usage: counts(3, 4),
      error: null,
    });
    expect(await live.ended).toBe(200);
    const log = await hermes.logOf(run.id);
    expect(textIn(log)).toBe('Grüße, da ist es: ✓');
    expect(live.events.map(({ id, event }) => [Number(id), event])).toEqual(log.map(({ seq, event }) => [seq, event]));
    for (let at = 0; at <= log.length; at += stride(2)) {
      const again = hermes.stream(run.id, String(at));
      await again.ended;
      expect(again.events).toEqual(live.events.slice(at));
    }
    expect(log.find(({ event }) => event === 'tool.started')!.data.preview).toBe(
      'curl -H "Authorization: Bearer [redacted]" https://u:[redacted]@x.example',
    );
    expect(hermes.server.started.at(-1)!.body).toMatchObject({
      input: 'Find it.',
      instructions: 'Be exact.',
      model: 'theirs',
    });
    const { activity } = await hermes.user.get<{ activity: { tool_name: string; duration_ms: number }[] }>(
      `${AGENT}activity/`,
    );
    expect(
      activity.slice(0, 3).map(({ tool_name: name, duration_ms: ms }) => [name, name === 'search' ? ms : 0]),
    ).toEqual([
      ['run.completed', 0],
      ['search', 250],
      ['run.started', 0],
    ]);
  });

  it('ask before they act; of twenty answers at once one counts', async () => {
    plays(ask('q1'), ask('q2'), done('Asked.'));
    const run = await hermes.create();
    for (const [at, choice] of (['once', 'deny'] as const).entries()) {
      await until(async () => (await hermes.get(run.id)).pending_approvals[0]?.request_id === `q${at + 1}`);
      const before = hermes.server.calls.filter((call) => call.endsWith('/approval')).length;
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => hermes.act(run.id, 'approval', { choice, request_id: `q${at + 1}` })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
      expect(hermes.server.calls.filter((call) => call.endsWith('/approval')).length - before).toBe(1);
    }
    await hermes.ended(run.id);
    const log = await hermes.logOf(run.id);
    const told = log.filter(({ event }) => event.startsWith('approval.'));
    expect(told.map(({ event, data }) => [event, data.choice])).toEqual([
      ['approval.request', undefined],
      ['approval.responded', 'once'],
      ['approval.request', undefined],
      ['approval.responded', 'deny'],
    ]);
  });

  it('stop, and take words where their gateway does', async () => {
    plays(say('I begin.'), 60_000, done('never'));
    const run = await hermes.create();
    await hermes.reaches(run.id, ['running']);
    await until(async () => textIn(await hermes.logOf(run.id)) === 'I begin.');
    const steered = await hermes.act(run.id, 'steer', { message: 'Left.' });
    if (generation === 'G1') expect(steered).toMatchObject({ status: 409, body: { code: 'not_supported' } });
    else expect(steered).toMatchObject({ status: 200, body: { accepted: true } });
    expect(await hermes.act(run.id, 'stop')).toMatchObject({ status: 200, body: { status: 'stopping' } });
    expect(await hermes.ended(run.id)).toMatchObject({ status: 'cancelled' });
    expect(await hermes.act(run.id, 'stop')).toMatchObject({ status: 409, body: { code: 'run_not_active' } });
    await hermes.logOf(run.id);
  });

  it('are talked with: on the socket, with messages that stay, and what each message has used', async () => {
    const socket = await hermes.socket();
    plays(say('Hel'), ...tool('search'), say('lo.'), done('Hello.', counts(100, 50)));
    const first = await talk('Who is there?');
    await until(() => socket.answers(first.run_id).length > 0);
    expect(socket.answers(first.run_id)[0]).toMatchObject({
      status: 'completed',
      message: 'Hello.',
      turn_id: first.run_id,
      chat_session_id: first.chat_session_id,
    });
    expect(socket.telemetry('stage:tool_finished', first.run_id)[0]!.event).toMatchObject({ tool: 'search' });
    plays(say('So.'), done('So.', counts(130, 60)));
    const second = await talk('And?', { chat_session_id: first.chat_session_id });
    await until(() => socket.answers(second.run_id).length > 0);
    expect(hermes.server.started.slice(-2).map(({ body }) => body.session_id)).toEqual([
      `atrium-${first.chat_session_id}`,
      `atrium-${first.chat_session_id}`,
    ]);
    expect((await hermes.get(first.run_id)).usage).toEqual(counts(100, 50));
    expect((await hermes.get(second.run_id)).usage).toEqual(counts(30, 10));
    expect((await hermes.logOf(second.run_id)).at(-1)!.data.usage).toEqual(counts(30, 10));

    // Its gateway has begun to count anew; then a message that is stopped, and one that fails.
    plays(done('Anew.', counts(7, 5)));
    const third = await talk('Again.', { chat_session_id: first.chat_session_id });
    await hermes.ended(third.run_id);
    expect((await hermes.get(third.run_id)).usage).toEqual(counts(7, 5));
    plays(say('I beg'), 60_000);
    const stopped = await talk('Stop.', { chat_session_id: first.chat_session_id });
    await until(async () => textIn(await hermes.logOf(stopped.run_id)) === 'I beg');
    expect((await hermes.user.send('POST', `${AGENT}chat/stream`, { message: 'Busy?' })).status).toBe(409);
    await hermes.act(stopped.run_id, 'stop');
    await hermes.ended(stopped.run_id);
    plays({ event: 'run.failed', error: 'No credit.' });
    const failed = await talk('Fail.', { chat_session_id: first.chat_session_id });
    await hermes.ended(failed.run_id);

    const said = await messages();
    expect(said.map(({ role, message, status, turn_id: id }) => [role, message, status, id])).toEqual([
      ['user', 'Who is there?', 'completed', first.run_id],
      ['assistant', 'Hello.', 'completed', first.run_id],
      ['user', 'And?', 'completed', second.run_id],
      ['assistant', 'So.', 'completed', second.run_id],
      ['user', 'Again.', 'completed', third.run_id],
      ['assistant', 'Anew.', 'completed', third.run_id],
      ['user', 'Stop.', 'completed', stopped.run_id],
      ['assistant', 'I beg', 'interrupted', stopped.run_id],
      ['user', 'Fail.', 'completed', failed.run_id],
      ['assistant', '', 'failed', failed.run_id],
    ]);
    expect(said.every(({ chat_session_id: id }) => id === first.chat_session_id)).toBe(true);
    socket.cut();
  });

  it('answer calls that wait', async () => {
    plays(say('42'), 30, done('42'));
    const answer = await hermes.user.post<Record<string, unknown>>(`${AGENT}chat/`, { message: 'Six times seven?' });
    expect(answer).toMatchObject({ answer: '42', generated_files_urls: [] });
    expect((await messages()).slice(-2).map(({ message }) => message)).toEqual(['Six times seven?', '42']);
    plays({ event: 'run.failed', error: 'No credit.' });
    const failed = await hermes.user.send('POST', `${AGENT}chat/`, { message: 'And?' });
    expect([failed.status, ((await failed.json()) as { code: string }).code]).toEqual([502, 'run_failed']);
  });

  it('tell no secrets of their person, or of the house, in what is shown of their work', async () => {
    const { workflow_id: workflow } = await hermes.user.post<{ workflow_id: string }>(
      '/microservices/workflow/start/',
      {
        json: { name: 'Secrets', nodes: [] },
      },
    );
    await hermes.user.post(`/microservices/workflow/${workflow}/secrets/`, { name: 'CRM', value: 'blue-walnut-7731' });
    // So long what is known of somebody's secrets may be old.
    await sleep(1100);
    const shows = `crm blue-walnut-7731 ${Buffer.from('blue-walnut-7731').toString('hex')} ${hermes.server.key}`;
    plays(
      { event: 'tool.started', tool: 'sh', preview: shows },
      { event: 'approval.request', request_id: 'q', command: `mail b@x.example "${shows}"`, description: shows },
      { event: 'reasoning.available', text: shows },
      { event: 'run.failed', error: shows },
    );
    const { id } = await hermes.create();
    const { pending_approvals: pending } = await hermes.reaches(id, ['waiting_for_approval']);
    expect(pending[0]).toMatchObject({ command: 'mail b@x.example "crm *** *** ***"' });
    await hermes.act(id, 'approval', { choice: 'once' });
    const told = JSON.stringify([await hermes.ended(id), await hermes.logOf(id)]);
    expect(told).toContain('crm *** *** ***');
    for (const secret of ['blue-walnut-7731', hermes.server.key]) expect(told).not.toContain(secret);
  });

  it('do their jobs', async () => {
    plays(say('Done.'), done('Done.'));
    const job = await hermes.user.post<{ id: string }>(`${AGENT}jobs/`, {
      name: 'Report',
      prompt: 'Report.',
      schedule: 'every 2h',
    });
    await hermes.user.post(`${AGENT}jobs/${job.id}/run/`, {});
    const last = async () =>
      (await hermes.user.get<{ last_status: string | null }>(`${AGENT}jobs/${job.id}/`)).last_status;
    await until(async () => (await last()) !== null);
    expect(await last()).toBe('ok');
    plays({ event: 'run.failed', error: 'Away.' });
    await hermes.user.post(`${AGENT}jobs/${job.id}/run/`, {});
    await until(async () => (await last()) === 'error');
    const { results } = await hermes.user.get<{ results: { id: string }[] }>(`${RUNS}?origin=job`);
    expect(results).toHaveLength(2);
    expect((await hermes.logOf(results[0]!.id)).at(-1)!.event).toBe('run.failed');
  });
});
