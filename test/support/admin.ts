import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { loadConfig } from '@app/config';
import type { INestApplicationContext } from '@nestjs/common';
import { openAdministration, runCommand } from '../../apps/api/src/cli/admin/run-command.js';

const ADMIN = resolve(__dirname, '../../apps/api/dist/cli/admin.js');

export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** `npm run admin -- <args>` on the deployment that the environment names: a process, which takes seconds to start. */
export function runAdmin(env: Record<string, string>, args: readonly string[], input = ''): Promise<CommandOutcome> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env.PATH, ...env } };
    const child = execFile(process.execPath, [ADMIN, ...args], options, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** The same commands within the process of the test, which starts what they stand on once. */
export class HostedAdmin {
  #app: INestApplicationContext | undefined;

  constructor(private readonly env: Record<string, string>) {}

  async run(args: readonly string[], input = ''): Promise<CommandOutcome> {
    const said = { stdout: '', stderr: '' };
    const open = async () => (this.#app ??= await openAdministration(loadConfig(this.env)));
    const code = await runCommand(args, open, {
      input: async () => input,
      out: (text) => (said.stdout += text),
      err: (text) => (said.stderr += text),
    });
    return { code, ...said };
  }

  async stop(): Promise<void> {
    await this.#app?.close();
  }
}
