import { isExpression, nodesReadBy, parseSegments } from './expression.js';

/**
 * What n8n gives its scripts, as far as a sandbox can: items of its own input and of other nodes, and the time. `params.nodes`
 * holds the items of other nodes by name, `items` (or `params.input`, which may also be a single one) those of the input.
 */
const CORE = `const __list = (value) => (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]);
const __wrap = (value) => __list(value).map((json, index) => ({ json, pairedItem: { item: index } }));
const __items = __wrap(params.input ?? items);
let $itemIndex = 0;
let $json = __items[0]?.json ?? {};
const __access = (all, current) => ({ all: () => all, first: () => all[0], last: () => all[all.length - 1], itemMatching: (index) => all[index], get item() { return all[current()] ?? all[0]; }, get json() { return (all[current()] ?? all[0])?.json; } });
const $input = __access(__items, () => $itemIndex);
const __try = (compute) => { try { const value = compute(); return value === undefined ? null : value; } catch (error) { if (error instanceof TypeError) return null; throw error; } };
const __text = (...parts) => parts.map((part) => (part === null || part === undefined ? '' : typeof part === 'object' ? JSON.stringify(part) : String(part))).join('');
const __json = (value) => __list(value).map((item) => (item !== null && typeof item === 'object' && 'json' in item ? item.json : item));
`;
const NODES = `const __nodes = Object.fromEntries(Object.entries(params.nodes ?? {}).map(([name, value]) => [name, __access(__wrap(value), () => $itemIndex)]));
const $ = (name) => __nodes[name] ?? __access([], () => 0);
const $items = (name) => (name === undefined ? __items : $(name).all());
const $node = __nodes;
`;
const SURROUNDINGS = `const $runIndex = 0;
const $workflow = { id: '', name: params.workflow ?? '', active: true };
const $execution = { id: '', mode: 'production' };
const $if = (condition, yes, no) => (condition ? yes : no);
const $ifEmpty = (value, other) => (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0) ? other : value);
const $min = Math.min;
const $max = Math.max;
`;
/** A little of luxon, which n8n's times are of; in UTC. */
const TIME = `const __pad = (value, width = 2) => String(value).padStart(width, '0');
const __units = { milliseconds: 1, seconds: 1000, minutes: 60000, hours: 3600000, days: 86400000, weeks: 604800000 };
const __time = (date) => ({
  toISO: () => date.toISOString(), toString: () => date.toISOString(), toJSON: () => date.toISOString(), valueOf: () => date.getTime(),
  toISODate: () => date.toISOString().slice(0, 10), toMillis: () => date.getTime(), toSeconds: () => date.getTime() / 1000, toJSDate: () => date,
  year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), hour: date.getUTCHours(), minute: date.getUTCMinutes(), weekday: date.getUTCDay() || 7,
  plus: (amount, unit) => __shift(date, amount, 1, unit), minus: (amount, unit) => __shift(date, amount, -1, unit),
  startOf: (unit) => __time(new Date(unit === 'day' ? date.toISOString().slice(0, 10) : unit === 'month' ? date.toISOString().slice(0, 7) + '-01' : date)),
  toFormat(pattern) { const parts = { yyyy: date.getUTCFullYear(), MM: __pad(date.getUTCMonth() + 1), dd: __pad(date.getUTCDate()), HH: __pad(date.getUTCHours()), mm: __pad(date.getUTCMinutes()), ss: __pad(date.getUTCSeconds()) }; return pattern.replace(/yyyy|MM|dd|HH|mm|ss/g, (part) => parts[part]); },
  format(pattern) { return this.toFormat(pattern); },
});
const __shift = (date, amount, sign, unit = 'milliseconds') => {
  const wanted = typeof amount === 'object' ? amount : { [unit]: amount };
  const moved = new Date(date);
  for (const [name, count] of Object.entries(wanted)) {
    const key = name.endsWith('s') ? name : name + 's';
    if (key === 'months') moved.setUTCMonth(moved.getUTCMonth() + sign * count);
    else if (key === 'years') moved.setUTCFullYear(moved.getUTCFullYear() + sign * count);
    else moved.setTime(moved.getTime() + sign * count * (__units[key] ?? 0));
  }
  return __time(moved);
};
const $now = __time(new Date());
const $today = $now.startOf('day');
`;

/** Only what the script needs, since people will read it. */
function withPrelude(script: string): string {
  const parts = [
    CORE,
    /\$\(|\$node\b|\$items\b/.test(script) ? NODES : '',
    /\$(?:runIndex|workflow|execution|if|ifEmpty|min|max)\b/.test(script) ? SURROUNDINGS : '',
    /\$(?:now|today)\b/.test(script) ? TIME : '',
  ];
  return parts.join('') + script;
}

/** A script of n8n's Code node as one of the sandbox; its result is the list of items that it hands on. */
export function codeNodeScript(js: string, mode: 'all' | 'each' | 'legacy_each'): string {
  if (mode === 'all')
    return withPrelude(
      // In a block of its own: what n8n's authors call their variables may be called `items` too.
      `const __run = async (items, item) => {{\n${js}\n}};\nreturn __json(await __run(__items, __items[0]));`,
    );
  const argument = mode === 'each' ? '__items[$itemIndex]' : '$json';
  return withPrelude(`const __run = async (item) => {{\n${js}\n}};
const __out = [];
for (; $itemIndex < __items.length; $itemIndex += 1) {
  $json = __items[$itemIndex].json;
  __out.push(...__json(await __run(${argument})));
}
return __out;`);
}

/** Values by name, computed for the first item. */
export function valuesScript(values: Readonly<Record<string, string>>): string {
  return withPrelude(`return ${objectOf(values)};`);
}

/** The items with what an expression makes of each. */
export function mapScript(js: string): string {
  return withPrelude(
    `return __items.map((item, index) => {\n$json = item.json;\n$itemIndex = index;\nreturn ${js};\n});`,
  );
}

/** A list of items per output; `js` gives the numbers of the outputs that an item goes to. */
export function partitionScript(js: string, outputs: number): string {
  return withPrelude(`const __outputs = Array.from({ length: ${outputs} }, () => []);
__items.forEach((item, index) => {
  $json = item.json;
  $itemIndex = index;
  for (const output of ${js}) __outputs[output]?.push(item.json);
});
return __outputs;`);
}

/** A parameter of n8n as a JavaScript expression, to any depth. */
export function toJs(value: unknown): string {
  if (isExpression(value)) {
    const segments = parseSegments(value);
    const parts = segments.map((part) => ('js' in part ? `__try(() => (${part.js}\n))` : JSON.stringify(part.text)));
    if (segments.length === 1 && 'js' in segments[0]!) return parts[0]!;
    return `__text(${parts.join(', ')})`;
  }
  if (Array.isArray(value)) return `[${value.map(toJs).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return objectOf(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJs(item)])));
  }
  return JSON.stringify(value) ?? 'null';
}

/** JSON text that may hold expressions as what it stands for. */
export function jsonJs(json: unknown): string {
  const js = toJs(json);
  return typeof json === 'string' ? `((text) => typeof text === 'string' ? JSON.parse(text) : text)(${js})` : js;
}

export function objectOf(fields: Readonly<Record<string, string>>): string {
  return `({ ${Object.entries(fields)
    .map(([key, js]) => `[${JSON.stringify(key)}]: ${js}`)
    .join(', ')} })`;
}

/** The other nodes that the expressions of a parameter read, to any depth. */
export function nodesReadIn(value: unknown): string[] {
  if (isExpression(value)) return parseSegments(value).flatMap((part) => ('js' in part ? nodesReadBy(part.js) : []));
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(nodesReadIn);
}
