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
/** What people use of luxon, which n8n's times are of; in UTC and in English. */
const TIME = `const __pad = (value, width = 2) => String(value).padStart(width, '0');
const __units = { milliseconds: 1, seconds: 1000, minutes: 60000, hours: 3600000, days: 86400000, weeks: 604800000 };
const __months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const __days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const __plural = (unit) => (unit.endsWith('s') ? unit : unit + 's');
const __at = (year, month, day = 1, ...rest) => { const date = new Date(0); date.setUTCFullYear(year, month, day); date.setUTCHours(...(rest.length > 0 ? rest : [0])); return date; };
const __addMonths = (date, count) => {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + count];
  // The last day of a month, where the day is not in it.
  const day = Math.min(date.getUTCDate(), __at(year, month + 1, 0).getUTCDate());
  return __at(year, month, day, date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds());
};
const __inMonths = { months: 1, quarters: 3, years: 12 };
const __shift = (date, amount, sign, unit = 'milliseconds') => {
  const wanted = Object.entries(amount !== null && typeof amount === 'object' ? amount : { [unit]: amount }).map(([name, count]) => [__plural(name), sign * count]);
  const months = wanted.reduce((sum, [name, count]) => sum + (__inMonths[name] ?? 0) * count, 0);
  const rest = wanted.reduce((sum, [name, count]) => sum + (__units[name] ?? 0) * count, 0);
  return __time(new Date((months === 0 ? date : __addMonths(date, months)).getTime() + rest));
};
const __startOf = (date, unit) => {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const key = __plural(unit);
  if (key === 'years') return __at(year, 0);
  if (key === 'quarters') return __at(year, month - (month % 3));
  if (key === 'months') return __at(year, month);
  if (key === 'weeks') return __at(year, month, day - ((date.getUTCDay() + 6) % 7));
  if (key in __units) return new Date(Math.floor(date.getTime() / __units[key]) * __units[key]);
  throw new Error('There is no such unit of time: ' + unit);
};
const __between = (from, to, unit) => {
  if (to < from) return -__between(to, from, unit);
  const step = __inMonths[unit];
  if (step === undefined) return (to - from) / __units[unit];
  let whole = Math.floor(((to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()) / step);
  if (__addMonths(from, whole * step) > to) whole -= 1;
  const [before, after] = [__addMonths(from, whole * step), __addMonths(from, (whole + 1) * step)];
  return whole + (to - before) / (after - before);
};
const __week = (date) => { const thursday = new Date(__startOf(date, 'week').getTime() + 3 * __units.days); return Math.floor((thursday - __at(thursday.getUTCFullYear(), 0)) / __units.weeks) + 1; };
const __format = (date, pattern) => {
  const [year, month, day, hour] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()];
  const [name, weekday, ordinal] = [__months[month], __days[(date.getUTCDay() + 6) % 7], Math.floor((date - __at(year, 0)) / __units.days) + 1];
  const numbers = { M: month + 1, L: month + 1, d: day, H: hour, h: hour % 12 || 12, m: date.getUTCMinutes(), s: date.getUTCSeconds(), W: __week(date) };
  const texts = {
    yyyy: __pad(year, 4), yy: __pad(year % 100), y: year, MMMM: name, LLLL: name, MMM: name.slice(0, 3), LLL: name.slice(0, 3), a: hour < 12 ? 'AM' : 'PM',
    EEEE: weekday, cccc: weekday, EEE: weekday.slice(0, 3), ccc: weekday.slice(0, 3), E: date.getUTCDay() || 7, c: date.getUTCDay() || 7,
    ooo: __pad(ordinal, 3), o: ordinal, q: Math.floor(month / 3) + 1, SSS: __pad(date.getUTCMilliseconds(), 3), X: Math.floor(date / 1000), x: date.getTime(), ZZZ: '+0000', ZZ: '+00:00', Z: '+0', z: 'UTC',
  };
  return pattern.replace(/'[^']*'|([a-zA-Z])\\1*/g, (part) => {
    if (part[0] === "'") return part.slice(1, -1);
    if (part in texts) return texts[part];
    if (part.length <= 2 && part[0] in numbers) return __pad(numbers[part[0]], part.length);
    throw new Error('Times are not written like this here: ' + part);
  });
};
const __time = (date) => {
  const isValid = !Number.isNaN(date.getTime());
  const iso = () => (isValid ? date.toISOString() : null);
  const parts = isValid ? { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds(), millisecond: date.getUTCMilliseconds() } : {};
  const difference = (other, unit = 'milliseconds') => { const [from, key] = [new Date(Number(other)), __plural(unit)]; return { [key]: __between(from, date, key), as: (one) => __between(from, date, __plural(one)), toObject: () => ({ [key]: __between(from, date, key) }), valueOf: () => date - from }; };
  return {
    ...parts, isValid, ts: date.getTime(),
    ...(isValid && { weekday: date.getUTCDay() || 7, quarter: Math.ceil(parts.month / 3), weekNumber: __week(date), ordinal: Number(__format(date, 'o')), daysInMonth: __at(parts.year, parts.month, 0).getUTCDate(), monthLong: __format(date, 'LLLL'), monthShort: __format(date, 'LLL'), weekdayLong: __format(date, 'cccc'), weekdayShort: __format(date, 'ccc') }),
    toISO: iso, toString: () => iso() ?? 'Invalid DateTime', toJSON: iso, valueOf: () => date.getTime(), toISODate: () => iso()?.slice(0, 10) ?? null, toISOTime: () => iso()?.slice(11) ?? null,
    toMillis: () => date.getTime(), toSeconds: () => date.getTime() / 1000, toUnixInteger: () => Math.floor(date / 1000), toJSDate: () => new Date(date), toUTC: () => __time(date), toObject: () => parts,
    plus: (amount, unit) => __shift(date, amount, 1, unit), minus: (amount, unit) => __shift(date, amount, -1, unit),
    startOf: (unit) => __time(__startOf(date, unit)), endOf: (unit) => __time(new Date(__shift(__startOf(date, unit), 1, 1, unit).toMillis() - 1)),
    set: (values) => { const all = { ...parts, ...values }; return __time(__at(all.year, all.month - 1, all.day, all.hour, all.minute, all.second, all.millisecond)); },
    diff: difference, diffNow: (unit) => difference(Date.now(), unit), diffTo: (other, unit = 'days') => -difference(__read(other).toMillis(), unit).as(unit), diffToNow: (unit = 'days') => -difference(Date.now(), unit).as(unit),
    hasSame: (other, unit) => __startOf(date, unit).getTime() === __startOf(new Date(Number(other)), unit).getTime(), equals: (other) => Number(other) === date.getTime(),
    toFormat: (pattern) => __format(date, pattern), format: (pattern) => __format(date, pattern),
    zoneName: 'UTC', offset: 0, setZone: (zone) => { if (/^(?:utc|gmt|z|etc\\/(?:utc|gmt))$/i.test(zone)) return __time(date); throw new Error('Times are in UTC here, not in ' + zone); }, isDst: () => false, beginningOf: (unit = 'week') => __time(__startOf(date, unit)), endOfMonth: () => __time(new Date(__shift(__startOf(date, 'month'), 1, 1, 'months').toMillis() - 1)),
    isWeekend: () => date.getUTCDay() % 6 === 0, isInLast: (count = 0, unit = 'minutes') => date <= Date.now() && date >= __shift(new Date(), count, -1, unit).toMillis(),
    isBetween: (one, other) => { const [from, to] = [one, other].map((value) => __read(value).toMillis()).sort((a, b) => a - b); return from < date && date < to; },
    extract: (part = 'week') => { const key = String(part).replace(/s$/, ''); const found = { ...parts, week: __week(date), weekNumber: __week(date), weekday: date.getUTCDay() || 7, quarter: Math.ceil(parts.month / 3), yearDayNumber: Number(__format(date, 'o')) }[key]; if (found === undefined) throw new Error('This is not taken out of times here: ' + part); return found; },
  };
};
/** What says no zone is meant in UTC; nothing is no time, not that of 1970. */
const __read = (value) => __time(new Date(typeof value === 'string' && /^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?$/.test(value) ? value.replace(' ', 'T') + 'Z' : value !== null && typeof value === 'object' ? Number(value) : typeof value === 'number' || typeof value === 'string' ? value : NaN));
/** In whole units, but for what is left in the last one. */
const __distance = (start, end, units) => {
  if (end < start) return Object.fromEntries(Object.entries(__distance(end, start, units)).map(([unit, count]) => [unit, -count]));
  let from = new Date(start.ts);
  return Object.fromEntries(units.map((unit, index) => {
    const count = __between(from, new Date(end.ts), unit);
    const taken = index === units.length - 1 ? count : Math.floor(count);
    if (index < units.length - 1) from = new Date(__shift(from, taken, 1, unit).ts);
    return [unit, taken];
  }));
};
const __fromFormat = (text, pattern) => {
  const read = {};
  const source = pattern.replace(/'[^']*'|([a-zA-Z])\\1*|[^a-zA-Z']/g, (part) => {
    if (part[0] === "'") part = part.slice(1, -1);
    else if (/^(?:yyyy|[yMLdHhms]{1,2}|SSS|a)$/.test(part)) return '(?<' + (part[0] === 'L' ? 'M' : part[0]) + '>' + (part === 'a' ? '[AaPp][Mm]' : part.length > 2 ? '\\\\d{' + part.length + '}' : '\\\\d{1,2}') + ')';
    else if (/^[a-zA-Z]+$/.test(part)) throw new Error('Times are not read like this here: ' + part);
    return part.replace(/[.*+?^()|[\\]{}$\\\\]/g, '\\\\$&');
  });
  Object.assign(read, new RegExp('^' + source + '$').exec(text)?.groups);
  if (Object.keys(read).length === 0) return __time(new Date(NaN));
  const { y = new Date().getUTCFullYear(), M = 1, d = 1, m = 0, s = 0, S = 0, a = '' } = read;
  const hour = read.h === undefined ? Number(read.H ?? 0) : (Number(read.h) % 12) + (/p/i.test(a) ? 12 : 0);
  return __time(__at(String(y).length === 2 ? Number(y) + (y > 60 ? 1900 : 2000) : Number(y), M - 1, Number(d), hour, Number(m), Number(s), Number(S)));
};
const DateTime = {
  now: () => __time(new Date()), fromISO: __read, fromSQL: __read, fromRFC2822: __read, fromHTTP: __read, fromMillis: __read, fromJSDate: __read, fromSeconds: (seconds) => __read(seconds * 1000), fromFormat: __fromFormat,
  fromObject: (values) => __time(new Date(0)).set({ year: new Date().getUTCFullYear(), ...values }),
  local: (year, month = 1, ...rest) => (typeof year === 'number' ? __time(__at(year, month - 1, ...rest)) : __time(new Date())), utc: (...all) => DateTime.local(...all),
};
const $now = DateTime.now();
const $today = $now.startOf('day');
`;
/** Methods that n8n gives to every value of a type. */
const EXTENSIONS = `const __extend = (type, methods) => Object.entries(methods).forEach(([name, run]) => Object.defineProperty(type.prototype, name, { configurable: true, value(...all) { return run(this, ...all); } }));
const __distinct = (list, names = []) => { const seen = new Set(); const keys = names.flat(); return list.filter((one) => { const text = JSON.stringify(keys.length === 0 ? one : keys.map((key) => one?.[key])); return !seen.has(text) && seen.add(text); }); };
const __has = (list, one) => list.some((other) => JSON.stringify(other) === JSON.stringify(one));
const __sum = (list) => list.reduce((sum, one) => sum + Number(one), 0);
__extend(Array, {
  first: (list) => list[0], last: (list) => list[list.length - 1], sum: (list) => __sum(list), average: (list) => (list.length === 0 ? 0 : __sum(list) / list.length), min: (list) => Math.min(...list.map(Number)), max: (list) => Math.max(...list.map(Number)),
  unique: (list, ...names) => __distinct(list, names), removeDuplicates: (list, ...names) => __distinct(list, names), compact: (list) => list.filter((one) => one !== null && one !== undefined && one !== ''), append: (list, ...more) => [...list, ...more],
  pluck: (list, ...names) => (names.length === 0 ? list : list.map((one) => (names.length === 1 ? one?.[names[0]] : Object.fromEntries(names.map((name) => [name, one?.[name]]))))),
  chunk: (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size)),
  smartJoin: (list, key, value) => Object.fromEntries(list.map((one) => [one[key], one[value]])), randomItem: (list) => list[Math.floor(Math.random() * list.length)],
  difference: (list, other) => list.filter((one) => !__has(other, one)), intersection: (list, other) => __distinct(list.filter((one) => __has(other, one))), union: (list, other) => __distinct([...list, ...other]), toJsonString: (list) => JSON.stringify(list),
});
const __signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const __toBase64 = (text) => {
  const bytes = [...encodeURIComponent(text).matchAll(/%(..)|([^%])/g)].map(([, hex, sign]) => (hex === undefined ? sign.charCodeAt(0) : parseInt(hex, 16)));
  return Array.from({ length: Math.ceil(bytes.length / 3) }, (_, at) => {
    const [a, b, c] = bytes.slice(at * 3, at * 3 + 3);
    return __signs[a >> 2] + __signs[((a & 3) << 4) | ((b ?? 0) >> 4)] + (b === undefined ? '=' : __signs[((b & 15) << 2) | ((c ?? 0) >> 6)]) + (c === undefined ? '=' : __signs[c & 63]);
  }).join('');
};
const __fromBase64 = (text) => {
  const bits = [...text.replaceAll('-', '+').replaceAll('_', '/').replace(/[^A-Za-z\\d+/]/g, '')].map((sign) => __signs.indexOf(sign).toString(2).padStart(6, '0')).join('');
  return decodeURIComponent((bits.match(/.{8}/g) ?? []).map((byte) => '%' + parseInt(byte, 2).toString(16).padStart(2, '0')).join(''));
};
const __number = (text) => { const number = Number(text); if (String(text).trim() === '' || Number.isNaN(number)) throw new Error('This is no number: ' + text); return number; };
__extend(String, {
  toNumber: (text) => __number(text), toFloat: (text) => __number(text), toInt: (text) => Math.trunc(__number(text)), toBoolean: (text) => !['', 'false', '0', 'no', 'n'].includes(String(text).toLowerCase()),
  isNumeric: (text) => String(text).trim() !== '' && !Number.isNaN(Number(text)), isEmail: (text) => /^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$/.test(text), isUrl: (text) => /^(?:https?|ftp):\\/\\/[^\\s]+$/.test(text),
  toTitleCase: (text) => String(text).toLowerCase().replace(/(^|\\s)(\\S)/g, (_, space, sign) => space + sign.toUpperCase()), toSentenceCase: (text) => String(text).toLowerCase().replace(/(^\\s*|[.!?]\\s+)([a-z])/g, (_, before, sign) => before + sign.toUpperCase()),
  removeTags: (text) => text.replace(/<[^>]*>/g, ''), extractEmail: (text) => /[^\\s@<>"',;]+@[\\w-]+(?:\\.[\\w-]+)+/.exec(text)?.[0], extractUrl: (text) => /https?:\\/\\/[^\\s"'<>]+/.exec(text)?.[0], extractDomain: (text) => /(?:^|@|\\/\\/)((?:[\\w-]+\\.)+[a-z]{2,})/i.exec(text)?.[1],
  toSnakeCase: (text) => String(text).replace(/([a-z\\d])([A-Z])/g, '$1_$2').replace(/[^\\p{L}\\p{N}]+/gu, '_').replace(/^_|_$/g, '').toLowerCase(), isDomain: (text) => /^(?:[a-z\\d](?:[a-z\\d-]*[a-z\\d])?\\.)+[a-z]{2,}$/i.test(text), extractUrlPath: (text) => /^[a-z][a-z\\d+.-]*:\\/\\/[^/?#]*([^?#]*)/i.exec(text)?.[1],
  base64Encode: (text) => __toBase64(String(text)), base64Decode: (text) => __fromBase64(String(text)), urlEncode: (text) => encodeURIComponent(text), urlDecode: (text) => decodeURIComponent(text), quote: (text, mark = '"') => mark + String(text).replaceAll(mark, '\\\\' + mark) + mark, parseJson: (text) => JSON.parse(text), toJsonString: (text) => JSON.stringify(String(text)),
});
__extend(Number, {
  round: (number, decimals = 0) => Number(number.toFixed(decimals)), floor: (number) => Math.floor(number), ceil: (number) => Math.ceil(number), abs: (number) => Math.abs(number),
  isEven: (number) => Number(number) % 2 === 0, isOdd: (number) => Math.abs(Number(number)) % 2 === 1, isInteger: (number) => Number.isInteger(Number(number)), toNumber: (number) => Number(number), toInt: (number) => Math.trunc(number), toFloat: (number) => Number(number), toBoolean: (number) => Number(number) !== 0,
});
__extend(Boolean, { toNumber: (value) => Number(value == true), toInt: (value) => Number(value == true), toBoolean: (value) => value == true });
`;
/** Those that objects have, and some that all values have; only what a script calls, since every object would seem to have such a field. */
const OF_OBJECTS = new Map(
  Object.entries({
    isEmpty: '(value) => __isEmpty(value)',
    isNotEmpty: '(value) => !__isEmpty(value)',
    keys: '(value) => Object.keys(value)',
    values: '(value) => Object.values(value)',
    hasField: '(value, name) => Object.hasOwn(value, name)',
    removeField: '(value, name) => __kept(value, (key) => key !== name)',
    removeFieldsContaining:
      "(value, text) => __kept(value, (_, one) => !(typeof one === 'string' && one.includes(text)))",
    keepFieldsContaining: "(value, text) => __kept(value, (_, one) => typeof one === 'string' && one.includes(text))",
    compact: "(value) => __kept(value, (_, one) => one !== null && one !== undefined && one !== '')",
    merge:
      "(value, other) => { if (Array.isArray(value)) throw new Error('Lists are not merged here.'); return { ...other, ...value }; }",
    toJsonString: '(value) => JSON.stringify(value)',
    urlEncode:
      "(value) => Object.entries(value).map(([key, one]) => encodeURIComponent(key) + '=' + encodeURIComponent(one)).join('&')",
  }),
);
/** A value that is not there would look like a result: a script that calls them fails, and its report says so beforehand. */
const REFUSED = ['hash', 'removeMarkdown', 'replaceSpecialChars', 'renameKeys', 'setLocale', 'toRelative'].map(
  (name): [string, string] => [name, `() => { throw new Error('There is no ${name} here.'); }`],
);
/** Of JavaScript itself: `Object.keys(…)`, the lists of a map. */
const NOT_OF_OBJECTS = /\bObject\s*\.(?:keys|values)\(/g;

function objectMethods(script: string): string {
  const own = script.replaceAll(NOT_OF_OBJECTS, '');
  const used = [...OF_OBJECTS, ...REFUSED].filter(([name]) => own.includes(`.${name}(`));
  if (used.length === 0) return '';
  return `const __isEmpty = (value) => (Array.isArray(value) ? value.length === 0 : value !== null && typeof value === 'object' ? Object.keys(value).length === 0 : value === '' || value === null);
const __kept = (value, keep) => Object.fromEntries(Object.entries(value).filter(([key, one]) => keep(key, one)));
Object.entries({ ${used.map(([name, js]) => `${name}: ${js}`).join(', ')} }).forEach(([name, run]) => Object.defineProperty(Object.prototype, name, { configurable: true, writable: true, value(...all) { return run(this.valueOf(), ...all); } }));
`;
}

const DATES_OF_VALUES = `for (const type of [String, Number]) Object.defineProperty(type.prototype, 'toDateTime', { configurable: true, value() { return __read(this.valueOf()); } });
`;
/** What Edit Fields does with values and with the fields of an item. */
const CONVERSIONS = `const __refuse = (type, value) => { throw new Error('This is no ' + type + ': ' + String(JSON.stringify(value) ?? value).slice(0, 200)); };
const __parsed = (type, value) => { try { return typeof value === 'string' ? JSON.parse(value) : value; } catch { return __refuse(type, value); } };
const __types = {
  string: (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)),
  number: (value) => (Number.isNaN(Number(value)) ? __refuse('number', value) : Number(value)),
  boolean: (value) => {
    if (typeof value === 'boolean') return value;
    const text = String(value).trim().toLowerCase();
    if (text === 'true' || (text !== '' && Number(text) === 1)) return true;
    return text === 'false' || (text !== '' && Number(text) === 0) ? false : __refuse('boolean', value);
  },
  array: (value) => { const list = __parsed('array', value); return Array.isArray(list) ? list : __refuse('array', value); },
  object: (value) => { const read = __parsed('object', value); return read !== null && typeof read === 'object' && !Array.isArray(read) ? read : __refuse('object', value); },
};
const __as = (type, value, isLenient = false) => {
  if (value === null || value === undefined) return null;
  try { return __types[type](typeof value.toJSON === 'function' ? value.toJSON() : value); } catch (error) { if (isLenient) return value; throw error; }
};
`;
const FIELDS = `const __steps = (name) => name.replace(/\\[(\\w+)\\]/g, '.$1').split('.');
const __names = (text) => String(text).split(',').map((name) => name.trim()).filter((name) => name !== '');
const __copy = (item) => (item !== null && typeof item === 'object' ? JSON.parse(JSON.stringify(item)) : {});
const __around = (item, path) => path.slice(0, -1).reduce((one, key) => one?.[key], item);
const __within = (item, values) => {
  const copy = __copy(item);
  for (const [name, value] of values) {
    const path = __steps(name);
    const around = path.slice(0, -1).reduce((one, key) => (one[key] = one[key] !== null && typeof one[key] === 'object' ? one[key] : {}), copy);
    around[path.at(-1)] = value;
  }
  return copy;
};
const __only = (item, names) => {
  const copy = __copy(item);
  const found = __names(names).map((name) => { const path = __steps(name); return Object.hasOwn(copy, name) ? [name, copy[name]] : [path.at(-1), __around(copy, path)?.[path.at(-1)]]; });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
};
const __without = (item, names) => {
  const copy = __copy(item);
  for (const name of __names(names)) {
    const path = __steps(name);
    const around = Object.hasOwn(copy, name) ? copy : __around(copy, path);
    if (around !== null && typeof around === 'object') delete around[around === copy ? name : path.at(-1)];
  }
  return copy;
};
`;
const EXTENDED =
  /\.(?:first|last|sum|average|min|max|unique|removeDuplicates|compact|append|pluck|chunk|smartJoin|randomItem|difference|intersection|union|toJsonString|toNumber|toFloat|toInt|toBoolean|isNumeric|isEmail|isUrl|toTitleCase|toSentenceCase|toSnakeCase|removeTags|extractEmail|extractUrl|extractUrlPath|extractDomain|isDomain|base64Encode|base64Decode|urlEncode|urlDecode|quote|parseJson|round|floor|ceil|abs|isEven|isOdd|isInteger)\(/;
/** Of the namesakes that every script has already: its own input and other nodes, numbers, and what is no method of a value. */
const OWN = /(?:\$input|\$\([^()]*\)|\bMath|\bNumber|\bPromise)\s*\.\w+\(/g;

export function readsTime(script: string): boolean {
  return /\$(?:now|today)\b|\bDateTime\b|\.toDateTime\(/.test(script);
}

/** Only what the script needs, since people will read it. */
function withPrelude(script: string): string {
  const parts = [
    CORE,
    /\$\(|\$node\b|\$items\b/.test(script) ? NODES : '',
    /\$(?:runIndex|workflow|execution|if|ifEmpty|min|max)\b/.test(script) ? SURROUNDINGS : '',
    readsTime(script) ? TIME : '',
    script.includes('.toDateTime(') ? DATES_OF_VALUES : '',
    EXTENDED.test(script.replaceAll(OWN, '')) ? EXTENSIONS : '',
    objectMethods(script),
    script.includes('__as(') ? CONVERSIONS : '',
    /__(?:within|only|without)\(/.test(script) ? FIELDS : '',
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

/** What an expression makes of `list`, the items of the input. */
export function listScript(js: string): string {
  return withPrelude(`const list = __items.map(({ json }) => json);\nreturn ${js};`);
}

/** The items in the order that JavaScript of n8n's Sort node gives to two of them, `a` and `b`. */
export function sortScript(js: string): string {
  return withPrelude(
    `const __order = (a, b) => {\n${js}\n};\nreturn [...__items].sort(__order).map(({ json }) => json);`,
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

export interface SplitOut {
  /** Taken apart side by side. */
  fields: readonly string[];
  /** What an entry is called; one that is an object otherwise has its fields in the item itself. */
  names: readonly string[];
  /** What of the item around the entries is added to each. */
  keep: 'none' | 'others' | readonly string[];
  /** Whether a dot leads into an object. */
  isDotted: boolean;
}

/** The entries of lists within items as items of their own. */
export function splitOutScript({ fields, names, keep, isDotted }: SplitOut): string {
  const merged = keep === 'none' && fields.length === 1 && names.length === 0;
  const others = `(() => { const copy = JSON.parse(JSON.stringify(json)); for (const field of fields) { const path = stepsOf(field); const around = valueAt(copy, path.slice(0, -1)); if (around !== null && typeof around === 'object') delete around[path.at(-1)]; } return copy; })()`;
  const kept =
    keep === 'none'
      ? '{}'
      : keep === 'others'
        ? others
        : `Object.fromEntries(${JSON.stringify(keep)}.map((name) => [name, valueAt(json, stepsOf(name)) ?? null]))`;
  return withPrelude(`const fields = ${JSON.stringify(fields)};
const names = ${JSON.stringify(fields.map((field, index) => names[index] ?? field))};
const stepsOf = (field) => ${isDotted ? `field.replace(/\\[(\\w+)\\]/g, '.$1').split('.')` : '[field]'};
const valueAt = (value, path) => path.reduce((one, key) => (one === null || one === undefined ? undefined : one[key]), value);
return __items.flatMap(({ json }) => {
  const lists = fields.map((field) => {
    const value = valueAt(json, [field]) ?? valueAt(json, stepsOf(field));
    if (value === undefined) return [];
    return Array.isArray(value) ? value : value !== null && typeof value === 'object' ? Object.values(value) : [value];
  });
  return Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, index) => {
    const item = ${kept};
    for (const [which, list] of lists.entries()) {
      if (index >= list.length) continue;
      const entry = list[index];
      if (${merged} && entry !== null && typeof entry === 'object') Object.assign(item, entry);
      else item[names[which]] = entry;
    }
    return item;
  });
});`);
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
