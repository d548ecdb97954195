import { buffer } from 'node:stream/consumers';
import { loadConfig } from '@app/config';
import type { INestApplicationContext } from '@nestjs/common';
import type { Terminal } from './admin/command-parts.js';
import { openAdministration, runCommand } from './admin/run-command.js';

let app: INestApplicationContext | undefined;

const terminal: Terminal = {
  async input() {
    if (process.stdin.isTTY) process.stderr.write('Password, then Enter and Ctrl-D: ');
    return (await buffer(process.stdin)).toString('utf8');
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

process.exitCode = await runCommand(
  process.argv.slice(2),
  async () => (app ??= await openAdministration(loadConfig())),
  terminal,
);
await app?.close();
// Connections that are still being tried would keep the process.
process.exit();
