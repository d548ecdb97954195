// `npm run admin -- <command>`: runs the platform that `npm start` started, or, where there is none, the one that the
// environment names (DATABASE_URL, REDIS_URL, SECRETS_KEY ...).
import crypto from 'node:crypto';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { DataFolder } from './lib/data-folder.mjs';
import { say } from './lib/log.mjs';
import { inRoot } from './lib/paths.mjs';
import { readSettings } from './lib/settings.mjs';

const { env, dataDir } = readSettings();
const data = new DataFolder(dataDir);
const args = process.argv.slice(2);

/** A new master key for the embedded platform; the one before can still be read. */
function renewKey() {
  if (env.SECRETS_KEY) {
    say('SECRETS_KEY is set: change it there, and put the one before into SECRETS_PREVIOUS_KEYS.');
    process.exit(1);
  }
  const previous = data.previousKeys();
  const current = data.secret('secrets-key', () => crypto.randomBytes(32).toString('base64'));
  data.writeSecret('secrets-previous-keys', [current, ...previous].join(','));
  data.writeSecret('secrets-key', crypto.randomBytes(32).toString('base64'));
  say('There is a new master key. Restart the platform (npm start), then: npm run admin -- keys rewrap');
}

function runCommand() {
  const known = fs.existsSync(path.join(data.state, 'platform.json')) ? (data.read('platform').env ?? {}) : {};
  const child = spawn(process.execPath, [inRoot('apps/api/dist/cli/admin.js'), ...args], {
    env: { ...known, ...env },
    stdio: 'inherit',
  });
  child.on('exit', (code) => process.exit(code ?? 1));
}

if (args.join(' ') === 'keys renew') renewKey();
else runCommand();
