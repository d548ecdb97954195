import { setTimeout as sleep } from 'node:timers/promises';
import { AgentGateway, AgentLife, type GatewayTask } from '@app/dedicated-agent';
import { startApi, type TestApi } from './api.js';
import { type ContractStep, type GatewayHarness, taskOf } from './gateway-contract.js';
import { type ScriptedAnswer, ScriptedLlm } from './scripted-llm.js';

/** A model that takes its time talks on, for so many seconds at most: by then it has been stopped. */
const LONGEST = 5;
const CHARACTERS_A_SECOND = 8 * 40;
const FILLER = ' and so on'.repeat((LONGEST * CHARACTERS_A_SECOND) / 10);

/** Our own loop as a gateway: api, runner, Postgres, Redis and a scripted model; each harness has a person of its own. */
export class EmbeddedGateways {
  /** When the server of the model, which talks to nobody too, has said all. */
  private quietAt = 0;

  private constructor(
    private readonly api: TestApi,
    private readonly llm: ScriptedLlm,
  ) {}

  static async start(): Promise<EmbeddedGateways> {
    const llm = new ScriptedLlm();
    await llm.start();
    const api = await startApi(llm.env);
    await api.hostRunner();
    return new EmbeddedGateways(api, llm);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await sleep(Math.max(0, this.quietAt - Date.now()));
    await this.llm.stop();
  }

  async harness(): Promise<GatewayHarness> {
    const gateway = this.api.app.get(AgentGateway);
    const user = await this.owner();
    const prepare = async (steps: readonly ContractStep[]): Promise<GatewayTask> => {
      this.play(steps);
      const task = taskOf(user);
      // Nobody follows it but the test.
      await this.api.database.dataSource.query(
        `INSERT INTO dedicated_agent_runs (id, agent_id, status, input, next_attempt_at) VALUES ($1, $2, 'running', 'Q', NULL)`,
        [task.runId, task.agentId],
      );
      return task;
    };
    return {
      gateway,
      prepare,
      begin: async (steps) => {
        const task = await prepare(steps);
        return { ...task, gatewayRunId: await gateway.start(task) };
      },
      keepsEvents: true,
      isIdempotent: true,
      takesWords: true,
      close: () => Promise.resolve(),
    };
  }

  private async owner(): Promise<{ userId: number; agentId: string }> {
    const { dataSource } = this.api.database;
    const { username } = await this.api.signUp();
    const [[{ id: userId }]] = await dataSource.query<[[{ id: number }], number]>(
      'UPDATE users SET dedicated_agent = true WHERE username = $1 RETURNING id',
      [username],
    );
    await this.api.app.get(AgentLife).grant(userId, 'terminal');
    const [{ id: agentId }] = await dataSource.query<[{ id: string }]>(
      'SELECT id FROM dedicated_agents WHERE user_id = $1',
      [userId],
    );
    return { userId, agentId };
  }

  /** Each use of a tool ends an answer of the model. */
  private play(steps: readonly ContractStep[]): void {
    const answers: ScriptedAnswer[] = [];
    let text = '';
    let isSlow = false;
    for (const step of steps) {
      if ('say' in step) text += step.say;
      else if ('pause' in step) {
        isSlow = true;
        text += FILLER.slice(0, Math.ceil((step.pause / 1000) * CHARACTERS_A_SECOND));
      } else if ('tool' in step) {
        answers.push({ text, calls: [{ name: 'code', arguments: { code: 'return items[0];', items: [step.tool] } }] });
        text = '';
      } else if ('ask' in step) {
        const mail = { to: 'b@mail.example', subject: 'S', text: step.ask };
        answers.push({ text, calls: [{ name: 'send_email', arguments: mail }] });
        text = '';
      } else if ('fail' in step) answers.push({ error: step.fail });
      else answers.push({ text: text === '' ? step.done : text });
    }
    if (text !== '' && answers.at(-1)?.text !== text) answers.push({ text });
    if (isSlow) this.quietAt = Date.now() + (LONGEST + 1) * 1000;
    this.llm.answers(({ results }) => answers[Math.min(results.length, answers.length - 1)]!, { slowly: isSlow });
  }
}
