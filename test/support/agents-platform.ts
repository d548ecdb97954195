import { HostedAdmin } from './admin.js';
import { type HostedPlatform, hostPlatform } from './hosted-platform.js';
import { HttpClient } from './http-client.js';
import type { AppName } from './platform.js';
import { ScriptedLlm } from './scripted-llm.js';

/** A platform with a scripted model, whose users may have dedicated agents. Lost workers are noticed within seconds. */
export class AgentsPlatform {
  private constructor(
    readonly llm: ScriptedLlm,
    readonly platform: HostedPlatform,
    readonly admin: HostedAdmin,
  ) {}

  static async start(apps: AppName[], settings: Record<string, string> = {}): Promise<AgentsPlatform> {
    const llm = new ScriptedLlm();
    await llm.start();
    const platform = await hostPlatform(apps, { ...llm.env, LEASE_SECONDS: '3', SWEEP_SECONDS: '1', ...settings });
    return new AgentsPlatform(llm, platform, new HostedAdmin(platform.env));
  }

  /** Somebody new with an agent, which does at most ten runs at once. */
  async owner(): Promise<HttpClient> {
    const client = await HttpClient.signUp(this.platform.baseUrl);
    await this.agent('grant', client);
    return client;
  }

  /** @throws when the command fails */
  async agent(command: 'grant' | 'revoke' | 'pause' | 'resume', { username }: HttpClient): Promise<void> {
    const { code, stderr } = await this.admin.run(['agent', command, username]);
    if (code !== 0) throw new Error(`admin agent ${command}: ${stderr}`);
  }

  async stop(): Promise<void> {
    await this.admin.stop();
    await this.platform.stop();
    await this.llm.stop();
  }
}
