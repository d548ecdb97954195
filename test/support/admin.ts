import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

const ADMIN = resolve(__dirname, '../../apps/api/dist/cli/admin.js');

export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** `npm run admin -- <args>` on the deployment that the environment names. */
export function runAdmin(env: Record<string, string>, args: readonly string[], input = ''): Promise<CommandOutcome> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env.PATH, ...env } };
    const child = execFile(process.execPath, [ADMIN, ...args], options, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}
