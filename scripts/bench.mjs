// `npm run bench -- <name> [args]`: one benchmark of test/bench, on durable throw-away servers.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { say } from './lib/log.mjs';
import { inRoot, ROOT } from './lib/paths.mjs';
import { onStopRequest } from './lib/stop-requests.mjs';
import { TestServers } from './lib/test-servers.mjs';

const [name, ...args] = process.argv.slice(2);
const file = inRoot('test', 'bench', `${name}.mjs`);
if (!name || !fs.existsSync(file)) {
  const names = fs.readdirSync(inRoot('test', 'bench')).filter((entry) => entry.endsWith('.mjs'));
  say(`Usage: npm run bench -- ${names.map((entry) => entry.replace('.mjs', '')).join('|')} [args]`);
  process.exit(1);
}

const servers = new TestServers({ durable: true });
const addresses = await servers.start(process.env);
const child = spawn(process.execPath, [file, ...args], {
  cwd: ROOT,
  env: { ...process.env, ...addresses },
  stdio: 'inherit',
});
onStopRequest({ stop: () => child.kill('SIGTERM'), force: () => child.kill('SIGKILL') });
child.on('exit', async (code) => {
  await servers.stop();
  process.exit(code ?? 1);
});
