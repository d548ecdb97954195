/**
 * Runs inside the sandbox before the author's code, and keeps what it needs of the engine, so that code which replaces
 * `JSON.stringify` harms only itself. Console lines are bounded: 100 lines of 1,000 characters.
 */
export const PRELUDE = `(json) => {
  const { stringify, parse } = JSON;
  const { String, TypeError } = globalThis;
  const logs = [];
  const warnings = [];
  const write = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const list = (lines) => {
    let text = '';
    for (let i = 0; i < lines.length; i += 1) text += (i > 0 ? ',' : '') + stringify(lines[i]);
    return '[' + text + ']';
  };
  const into = (lines) => (...values) => {
    if (lines.length >= 100) return;
    let line = '';
    for (let i = 0; i < values.length; i += 1) line += (i > 0 ? ' ' : '') + write(values[i]);
    lines[lines.length] = line.slice(0, 1000).replace(/[\\ud800-\\udbff]$/, '');
  };
  const log = into(logs);
  const warn = into(warnings);
  const console = Object.freeze({ log, info: log, debug: log, warn, error: warn });
  // JSON knows none of them, and wrote an empty object for whatever was in there.
  const asJson = (of, toJSON) =>
    Object.defineProperty(of.prototype, 'toJSON', { value: toJSON, writable: true, configurable: true });
  asJson(Set, function () {
    return Array.from(this);
  });
  asJson(Map, function () {
    return Object.fromEntries(this);
  });
  asJson(Error, function () {
    return { name: this.name, message: this.message, ...this };
  });
  const { items, params } = parse(json);
  const finish = (result) => {
    if (result === undefined) warn('The code returned nothing, so the result is null. Say what to hand on with return.');
    const text = stringify(result);
    if (text === undefined && result !== undefined) throw new TypeError('The result cannot be written as JSON.');
    return '{"result":' + (text ?? 'null') + ',"logs":' + list(logs) + ',"warnings":' + list(warnings) + '}';
  };
  return { items, params, console, finish };
}`;
