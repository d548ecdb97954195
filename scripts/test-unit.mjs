// `npm run test:unit [-- jest args]`: the unit tests, which need no server.
import { spawn } from 'node:child_process';
import { inRoot, ROOT } from './lib/paths.mjs';

const jest = inRoot('node_modules', 'jest', 'bin', 'jest.js');
const child = spawn(
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', jest, '--selectProjects', 'unit', ...process.argv.slice(2)],
  { cwd: ROOT, env: { ...process.env, NODE_ENV: 'test' }, stdio: 'inherit' },
);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
child.on('exit', (code) => process.exit(code ?? 1));
