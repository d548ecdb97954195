import { AgentsPlatform } from '../agents-platform.js';
import { ChatSocket } from '../chat-socket.js';
import { EventStream } from '../event-stream.js';
import type { HttpClient } from '../http-client.js';
import type { AppName } from '../platform.js';
import { until } from '../until.js';
import { type Generation, HermesServer } from './hermes-server.js';

export interface ShownRun {
  id: string;
  status: string;
  output: string | null;
  usage: Record<string, number> | null;
  error: { code: string; detail: string } | null;
  pending_approvals: { request_id: string; choices: string[] }[];
}

export interface LoggedEvent {
  seq: number;
  event: string;
  data: Record<string, unknown>;
}

export const AGENT = '/microservices/dedicated-agent/';
export const RUNS = `${AGENT}runs/`;
export const ENDS = ['run.completed', 'run.failed', 'run.cancelled'];
const OVER = ['completed', 'failed', 'cancelled'];

export const textIn = (events: readonly { event: string; data: Record<string, unknown> }[]): string =>
  events.map(({ event, data }) => (event === 'message.delta' ? String(data.delta) : '')).join('');

/** A platform whose agents work at a server of the API of hermes-agent, and one person with an agent. */
export class HermesPlatform {
  private constructor(
    readonly server: HermesServer,
    readonly agents: AgentsPlatform,
    readonly user: HttpClient,
  ) {}

  static async start(
    generation: Generation,
    apps: AppName[] = ['api', 'workflow-runner'],
    overrides: Record<string, string> = {},
  ): Promise<HermesPlatform> {
    const server = await new HermesServer(generation).listen();
    const agents = await AgentsPlatform.start(apps, {
      AGENT_GATEWAY: 'hermes',
      AGENT_GATEWAY_URL: server.url,
      AGENT_GATEWAY_KEY: server.key,
      AGENT_GATEWAY_TIMEOUT_SECONDS: '2',
      ...overrides,
    });
    return new HermesPlatform(server, agents, await agents.owner());
  }

  async stop(): Promise<void> {
    await this.agents.stop();
    await this.server.stop();
  }

  create(input = 'Do it.', more: object = {}): Promise<ShownRun> {
    return this.user.post<ShownRun>(RUNS, { input, ...more });
  }

  get(id: string): Promise<ShownRun> {
    return this.user.get<ShownRun>(`${RUNS}${id}/`);
  }

  async reaches(id: string, statuses: readonly string[], timeoutMs = 60_000): Promise<ShownRun> {
    let run = await this.get(id);
    await until(async () => statuses.includes((run = await this.get(id)).status), timeoutMs);
    return run;
  }

  ended(id: string, timeoutMs?: number): Promise<ShownRun> {
    return this.reaches(id, OVER, timeoutMs);
  }

  async act(id: string, action: string, body: object = {}): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await this.user.send('POST', `${RUNS}${id}/${action}/`, body);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  stream(id: string, lastEventId?: string): EventStream {
    return new EventStream(`${this.agents.platform.baseUrl}${RUNS}${id}/events/`, this.user, lastEventId);
  }

  async socket(query = '', texts?: ReadonlyMap<string, string>): Promise<ChatSocket> {
    const { agent_id: agentId } = await this.user.get<{ agent_id: string }>(`${AGENT}activity/`);
    const channel = `/ws/dedicated-agent/${agentId}/`;
    const socket = new ChatSocket(this.agents.platform.baseUrl, '', {
      client: this.user,
      channel,
      query,
      ...(texts && { texts }),
    });
    await socket.opened;
    return socket;
  }

  /** As our own log has it: checked to be without gaps, with one end, which comes last. */
  async logOf(id: string): Promise<LoggedEvent[]> {
    const log = await this.agents.platform.database.dataSource.query<LoggedEvent[]>(
      'SELECT seq, event, data FROM dedicated_agent_events WHERE run_id = $1 ORDER BY seq',
      [id],
    );
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    const ends = log.filter(({ event }) => ENDS.includes(event));
    expect(ends.length).toBeLessThanOrEqual(1);
    if (ends.length > 0) expect(log.at(-1)).toBe(ends[0]);
    return log;
  }
}
