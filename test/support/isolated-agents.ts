import { newId } from '@app/common';
import type { AgentsPlatform } from './agents-platform.js';
import { ChatSocket } from './chat-socket.js';
import { note, upload } from './documents-api.js';
import type { HttpClient } from './http-client.js';
import { until } from './until.js';

export const AGENT = '/microservices/dedicated-agent/';

export interface Answer {
  status: number;
  body: string;
}

/** What nobody but its owner touches, so that it has to stay as it is. */
interface Still {
  waitingRun: string;
  requestId: string;
  endedRun: string;
  job: string;
  session: number;
}

/** Somebody with an agent; everything of theirs has their canary in it. */
export class AgentOwner {
  readonly canary = `canary-${newId().slice(0, 8)}`;
  agentId = '';
  userId = 0;
  file = '';
  grant = 0;
  still: Still = { waitingRun: '', requestId: '', endedRun: '', job: '', session: 0 };
  readonly runs: string[] = [];
  readonly jobs: string[] = [];
  socket!: ChatSocket;

  private constructor(
    readonly agents: AgentsPlatform,
    readonly client: HttpClient,
  ) {}

  static async create(agents: AgentsPlatform): Promise<AgentOwner> {
    const owner = new AgentOwner(agents, await agents.owner());
    const { client } = owner;
    owner.agentId = (await client.get<{ agent_id: string }>(`${AGENT}activity/`)).agent_id;
    const [row] = await owner.sql<{ id: number }>('SELECT id FROM users WHERE username = $1', [client.username]);
    owner.userId = row!.id;
    const form = await upload(client, note(owner.canary, `${owner.canary}.txt`));
    owner.file = form.body.uid;
    const [grant] = await owner.sql<{ id: number }>(
      'INSERT INTO agent_approvals (user_id, key, summary) VALUES ($1, $2, $2) RETURNING id',
      [owner.userId, owner.canary],
    );
    owner.grant = grant!.id;
    owner.socket = owner.listen(owner);
    await owner.prepare();
    return owner;
  }

  /** A socket to the agent of somebody, with our token. */
  listen(of: AgentOwner, query = ''): ChatSocket {
    const channel = `/ws/dedicated-agent/${of.agentId}/`;
    return new ChatSocket(this.client.baseUrl, '', { client: this.client, channel, query });
  }

  /** What nobody else may touch: a run that waits for its owner, one that has ended, a job, a conversation. */
  async prepare(): Promise<void> {
    const ended = await this.client.post<{ id: string }>(`${AGENT}runs/`, { input: `tell ${this.canary}` });
    await this.becomes(ended.id, 'completed');
    const waiting = await this.client.post<{ id: string }>(`${AGENT}runs/`, { input: `ask ${this.canary}` });
    await this.becomes(waiting.id, 'waiting_for_approval');
    const run = await this.client.get<{ pending_approvals: { request_id: string }[] }>(`${AGENT}runs/${waiting.id}/`);
    const job = await this.client.post<{ id: string }>(`${AGENT}jobs/`, {
      name: this.canary,
      prompt: `tell ${this.canary}`,
      schedule: 'every 3h',
      paused: true,
    });
    const said = await this.client.post<{ chat_session_id: number; run_id: string }>(`${AGENT}chat/stream`, {
      message: `tell ${this.canary}`,
    });
    await this.becomes(said.run_id, 'completed');
    this.still = {
      waitingRun: waiting.id,
      requestId: run.pending_approvals[0]!.request_id,
      endedRun: ended.id,
      job: job.id,
      session: said.chat_session_id,
    };
    this.runs.push(ended.id, waiting.id, said.run_id);
    this.jobs.push(job.id);
  }

  /** Everything of `still`, and of the agent itself, as it is now. */
  async snapshot(): Promise<unknown> {
    const { waitingRun, endedRun, job } = this.still;
    return Promise.all([
      this.sql(
        `SELECT status, pending, steers, input, output, finished_at,
           (SELECT count(*)::int FROM dedicated_agent_events e WHERE e.run_id = r.id) AS events
         FROM dedicated_agent_runs r WHERE id = ANY($1::uuid[]) ORDER BY id`,
        [[waitingRun, endedRun]],
      ),
      this.sql(
        `SELECT name, prompt, state, enabled, version, due_at,
           (SELECT count(*)::int FROM dedicated_agent_executions e WHERE e.job_id = j.id) AS executions
         FROM dedicated_agent_jobs j WHERE id = $1`,
        [job],
      ),
      this.sql('SELECT key, summary FROM agent_approvals WHERE user_id = $1', [this.userId]),
      this.sql('SELECT status FROM dedicated_agents WHERE id = $1', [this.agentId]),
    ]);
  }

  async call(method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
    const response = await fetch(`${this.client.baseUrl}${path.startsWith('/') ? path : AGENT + path}`, {
      method,
      headers: {
        authorization: `Token ${this.client.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.text() };
  }

  /** What of theirs nobody else may read; ids that the caller said do not count. */
  secrets(said: string): string[] {
    const ids = [this.agentId, this.file, this.still.requestId, ...this.runs.slice(-60), ...this.jobs.slice(-60)];
    return [this.canary, this.client.username, ...ids.filter((id) => id !== '' && !said.includes(id))];
  }

  private sql<T = unknown>(text: string, values: unknown[]): Promise<T[]> {
    return this.agents.platform.database.dataSource.query<T[]>(text, values);
  }

  private async becomes(id: string, status: string): Promise<void> {
    await until(
      async () => (await this.client.get<{ status: string }>(`${AGENT}runs/${id}/`)).status === status,
      60_000,
    );
  }
}
