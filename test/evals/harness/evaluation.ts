import { type HostedPlatform, hostPlatform } from '../../support/hosted-platform.js';
import type { OddServer } from '../../support/mcp-odd-server.js';
import { Driver } from './driver.js';
import { judge } from './judges.js';
import type { Verdict } from './report.js';
import { ScriptedModel } from './scripted-model.js';
import { readTasks, type Task } from './task.js';
import { Tenant } from './tenant.js';

/** A live model: `EVAL_BASE_URL`, `EVAL_API_KEY`, `EVAL_MODEL`; null for scripted answers. */
export function liveModel(): { name: string; env: Record<string, string> } | null {
  const { EVAL_BASE_URL: url, EVAL_API_KEY: key = '', EVAL_MODEL: name = '' } = process.env;
  if (!url) return null;
  const model = { id: 1, name, value: name, capability: 'vision' };
  return {
    name,
    env: { LLM_BASE_URL: url, LLM_API_KEY: key, LLM_MODELS: JSON.stringify([model]), CHAT_TITLES: 'false' },
  };
}

/** The whole platform with its tenant, booted once for all tasks. */
export class Evaluation {
  readonly tasks = readTasks();
  platform!: HostedPlatform;
  tenant!: Tenant;
  driver!: Driver;
  readonly live = liveModel();
  readonly model = new ScriptedModel(this.tasks, process.env['EVAL_RECORD'] === '1');
  private server!: OddServer;

  async start(): Promise<void> {
    [this.server] = await Promise.all([Tenant.startServer(), this.model.start()]);
    const env = this.live?.env ?? this.model.llm.env;
    this.platform = await hostPlatform(['api', 'indexer', 'workflow-runner'], { ...env, MCP_HOSTS: this.server.host });
    this.tenant = await Tenant.seed(this.platform, this.server);
    this.model.names = this.tenant.names;
    this.driver = new Driver(this.platform, this.tenant);
  }

  async stop(): Promise<void> {
    await this.platform?.stop();
    await Promise.all([this.model.stop(), this.server?.stop()]);
  }

  /** Does the task once, and judges what is there then. */
  async try(task: Task): Promise<Verdict['tries'][number]> {
    this.model.faults = [];
    const began = performance.now();
    const outcome = await this.driver.run(task);
    const complaints = [
      ...this.model.faults.map((complaint) => ({ judge: 'script', complaint })),
      ...judge(outcome, task.expect),
    ];
    return {
      complaints,
      calls: outcome.calls.length,
      tokens: outcome.tokens,
      seconds: (performance.now() - began) / 1000,
    };
  }
}
