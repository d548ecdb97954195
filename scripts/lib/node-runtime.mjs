import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from './log.mjs';
import { inRoot } from './paths.mjs';

/** Atrium runs on Node 24, which the lock file brings as a package per platform; the machine's own may be older. */
const REQUIRED_MAJOR = 24;

const platformPackage = () =>
  `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`;

function majorOf(binary) {
  try {
    const version = execFileSync(binary, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/^v(\d+)/.exec(version)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function linkTool(name, source) {
  if (!fs.existsSync(source)) return;
  const link = inRoot('node_modules', '.bin', name);
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.rmSync(link, { force: true });
  fs.symlinkSync(path.relative(path.dirname(link), source), link);
}

/**
 * Makes `node_modules/.bin/node` the Node of the lock file, and `tsc` the compiler that builds Atrium. npm 11 links the
 * former by itself; npm 10 removes the link again while it discards the packages of the other platforms. Of `tsc` there
 * are two: tools ask TypeScript 6, whose library they know, and which of the two npm links is left to chance.
 */
export function linkTools() {
  linkTool('node', inRoot('node_modules', platformPackage(), 'bin', 'node'));
  linkTool('tsc', inRoot('node_modules', 'typescript-7', 'bin', 'tsc'));
}

/**
 * The Node that builds and runs Atrium.
 * @returns {string} absolute path
 */
export function nodeBinary() {
  for (const candidate of [inRoot('node_modules', platformPackage(), 'bin', 'node'), process.execPath])
    if (majorOf(candidate) >= REQUIRED_MAJOR) return candidate;
  throw new UserError(
    `Atrium runs on Node ${REQUIRED_MAJOR}, and there is no ready-made one for ${process.platform}-${process.arch}: ` +
      `install Node ${REQUIRED_MAJOR} or newer and try again.`,
  );
}

/** An environment in which `node` and the tools of node_modules are found first. */
export function withToolsOnPath(env = process.env) {
  const folders = [inRoot('node_modules', '.bin'), env.PATH ?? ''];
  return { ...env, PATH: folders.join(path.delimiter) };
}
