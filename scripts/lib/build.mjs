import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { withoutSecrets } from './child-environments.mjs';
import { step, UserError } from './log.mjs';
import { withToolsOnPath } from './node-runtime.mjs';
import { inRoot, ROOT } from './paths.mjs';
import { run } from './processes.mjs';

const STAMP = inRoot('node_modules', '.cache', 'atrium', 'built');

const workspaces = () =>
  ['libs', 'apps'].flatMap((group) =>
    fs
      .readdirSync(inRoot(group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => inRoot(group, entry.name)),
  );

function* filesBelow(folder) {
  if (!fs.existsSync(folder)) return;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(full);
    else yield full;
  }
}

function* inputs() {
  yield* ['package-lock.json', 'package.json', 'tsconfig.json', 'tsconfig.base.json'].map((name) => inRoot(name));
  for (const workspace of workspaces()) {
    yield* ['package.json', 'tsconfig.json'].map((name) => path.join(workspace, name));
    yield* filesBelow(path.join(workspace, 'src'));
  }
}

/** Names, sizes and times of all sources: cheaper than reading them, and tsc looks closer when it is asked. */
function fingerprint() {
  const hash = crypto.createHash('sha256');
  for (const file of inputs()) {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    hash.update(`${path.relative(ROOT, file)}\0${stat?.size}\0${stat?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

export const isBuilt = () => {
  const outputs = workspaces().every((workspace) => fs.existsSync(path.join(workspace, 'dist')));
  return outputs && fs.existsSync(STAMP) && fs.readFileSync(STAMP, 'utf8') === fingerprint();
};

/** tsc leaves the output of a deleted source behind, and a deleted migration would still be found and run. */
function removeOrphanedOutput() {
  for (const workspace of workspaces()) {
    const [dist, src] = [path.join(workspace, 'dist'), path.join(workspace, 'src')];
    for (const file of filesBelow(dist)) {
      const stem = path.relative(dist, file).replace(/(\.d\.ts|\.js)(\.map)?$/, '');
      if (stem === path.relative(dist, file) || stem.endsWith('.tsbuildinfo')) continue;
      if (!['.ts', '.tsx', '.js', '.json'].some((ending) => fs.existsSync(path.join(src, stem + ending))))
        fs.rmSync(file);
    }
  }
}

/** Builds all libs and apps with `npm run build`, unless nothing changed since the last time. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  // Taken before the build: a file that is saved meanwhile makes the next start build again.
  const before = fingerprint();
  await step('Building', async () => {
    removeOrphanedOutput();
    const { code, output } = await run('npm', ['run', '--silent', 'build'], {
      cwd: ROOT,
      env: withToolsOnPath({ ...withoutSecrets(), npm_config_update_notifier: 'false' }),
    });
    if (code !== 0) throw new UserError(`The build failed:\n${output.trim()}`);
  });
  fs.mkdirSync(path.dirname(STAMP), { recursive: true });
  fs.writeFileSync(STAMP, before);
}
