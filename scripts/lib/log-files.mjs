import fs from 'node:fs';
import path from 'node:path';

const ROTATE_AT_START = 10 * 1024 * 1024;
const TRUNCATE_ABOVE = 100 * 1024 * 1024;

const sizeOf = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Opens a log for appending, after putting a large one aside as `<name>.log.1`. Children write to the descriptor
 * themselves, so that their logs do not end with the supervisor.
 */
export function openLog(folder, name) {
  const file = path.join(folder, `${name}.log`);
  if (sizeOf(file) > ROTATE_AT_START) fs.renameSync(file, `${file}.1`);
  return { file, fd: fs.openSync(file, 'a', 0o600) };
}

/** The last lines of a log. */
export function tailOf(file, lines = 12) {
  const size = sizeOf(file);
  const from = Math.max(0, size - 16_384);
  const buffer = Buffer.alloc(size - from);
  const fd = fs.openSync(file, 'r');
  try {
    fs.readSync(fd, buffer, 0, buffer.length, from);
  } finally {
    fs.closeSync(fd);
  }
  return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

/** What of a log line is worth a person's attention, or null. Our apps write JSON lines with pino's levels. */
export function errorIn(line) {
  if (line.startsWith('{'))
    try {
      const entry = JSON.parse(line);
      const severe = Number(entry.level) >= 50 || ['error', 'fatal'].includes(entry.level);
      const cause = entry.err?.message ?? entry.error?.message;
      return severe ? [entry.msg ?? entry.message, cause].filter(Boolean).join(': ') : null;
    } catch {
      return null;
    }
  return /^(\w*Error|Uncaught|fatal|FATAL|panic)\b/i.test(line) ? line : null;
}

/**
 * Follows a log, which it keeps from growing without end.
 * @param {string} file
 * @param {(line: string) => void} onLine
 * @returns {() => void} stops following
 */
export function followLines(file, onLine, everyMs = 500) {
  let position = sizeOf(file);
  let rest = '';
  const look = () => {
    const size = sizeOf(file);
    if (size < position) position = 0;
    if (size === position) return;
    const buffer = Buffer.alloc(Math.min(size - position, 1024 * 1024));
    const fd = fs.openSync(file, 'r');
    const count = fs.readSync(fd, buffer, 0, buffer.length, position);
    fs.closeSync(fd);
    position += count;
    const lines = (rest + buffer.toString('utf8', 0, count)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    // The file is open for appending, so that writers go on at its new end.
    if (position > TRUNCATE_ABOVE) {
      fs.copyFileSync(file, `${file}.1`);
      fs.truncateSync(file, 0);
      position = 0;
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Follows a log and hands on each error in it, at most ten in ten seconds.
 * @param {string} file
 * @param {(problem: string) => void} onError
 * @returns {() => void} stops following
 */
export function followErrors(file, onError) {
  let allowance = 10;
  const refill = setInterval(() => {
    allowance = 10;
  }, 10_000);
  refill.unref();
  const unfollow = followLines(file, (line) => {
    const problem = errorIn(line);
    if (!problem) return;
    allowance -= 1;
    if (allowance >= 0) onError(problem);
    if (allowance === 0) onError(`more errors follow in ${file}`);
  });
  return () => {
    unfollow();
    clearInterval(refill);
  };
}
