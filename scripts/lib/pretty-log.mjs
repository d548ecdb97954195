import { errorIn } from './log-files.mjs';

const LEVELS = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };
const COLOURS = { warn: 33, error: 31, fatal: 31 };
/** Told by name and place, or of no use to who reads along. */
const LEFT_OUT = new Set(['level', 'time', 'app', 'pid', 'hostname', 'msg', 'message', 'context', 'err', 'error']);

/**
 * A line of an app's log for people: `10:22:33.123 api  warn  [Context] text  name=value`, errors with their stack.
 * @param {string} app
 * @param {string} line JSON of pino, or anything else, which is kept
 * @param {{ colours?: boolean }} [options]
 */
export function prettyLine(app, line, { colours = false } = {}) {
  const paint = (code, text) => (colours && code ? `\u001B[${code}m${text}\u001B[0m` : text);
  const name = paint(36, app.padEnd(15));
  const entry = parsed(line);
  if (!entry) return `${' '.repeat(12)} ${name} ${paint(errorIn(line) && 31, line)}`;
  const level = LEVELS[entry.level] ?? String(entry.level);
  const at = new Date(entry.time).toISOString().slice(11, 23);
  const rest = Object.entries(entry)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const context = entry.context ? `[${entry.context}] ` : '';
  const text = `${context}${entry.msg ?? entry.message ?? ''}`;
  const stack = (entry.err ?? entry.error)?.stack;
  const first = `${at} ${name} ${paint(COLOURS[level], level.padEnd(5))} ${text}${rest && `  ${paint(2, rest)}`}`;
  return stack ? `${first}\n${stack}` : first;
}

function parsed(line) {
  if (!line.startsWith('{')) return null;
  try {
    const entry = JSON.parse(line);
    return Number.isFinite(new Date(entry.time).getTime()) ? entry : null;
  } catch {
    return null;
  }
}
