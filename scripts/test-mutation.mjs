// `npm run test:mutation [-- stryker args]`: changes the build of billing and entitlements in one place after the other, and
// tells which changes no test notices. The tool stands in a folder of its own, and is installed when it is first used.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { nodeBinary } from './lib/node-runtime.mjs';
import { inRoot, ROOT } from './lib/paths.mjs';
import { TestServers } from './lib/test-servers.mjs';

const folder = inRoot('test', 'mutation');
const servers = new TestServers();
let child = null;

function foreground(command, args, options) {
  return new Promise((resolve) => {
    child = spawn(command, args, { stdio: 'inherit', ...options });
    child.on('error', () => resolve(127));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

async function main() {
  const tool = inRoot('test', 'mutation', 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  if (!fs.existsSync(tool)) {
    const installed = await foreground('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
    if (installed !== 0) return installed;
  }
  const env = { ...process.env, NODE_ENV: 'test' };
  const addresses = await servers.start(env);
  const config = inRoot('test', 'mutation', 'stryker.config.mjs');
  return foreground(nodeBinary(), [tool, 'run', config, ...process.argv.slice(2)], {
    cwd: ROOT,
    env: { ...env, ...addresses, TMPDIR: servers.folder },
  });
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child?.kill(name));
const code = await main();
await servers.stop();
// What was changed of the build is put back by the tool, unless it was killed.
process.exit(code);
