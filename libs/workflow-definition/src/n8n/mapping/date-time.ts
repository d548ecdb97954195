import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { mapScript, nodesReadIn, toJs } from '../script.js';
import { refTo, singleAt } from '../shape.js';
import { isObject } from '../json-object.js';
import { oldDateTime } from './date-time-v1.js';

/** What a result is called where nobody has changed it, by operation. */
const NAMES = new Map(
  Object.entries({
    getCurrentDate: 'currentDate',
    formatDate: 'formattedDate',
    extractDate: 'datePart',
    addToDate: 'newDate',
    subtractFromDate: 'newDate',
    roundDate: 'roundedDate',
    getTimeBetweenDates: 'timeDifference',
  }),
);
const PARTS = new Set(['year', 'month', 'week', 'day', 'hour', 'minute', 'second']);
/** Of the kind `date`; scripts know quarters, too. */
const NATIVE_UNITS = new Set(['days', 'hours', 'minutes', 'months', 'seconds', 'weeks', 'years']);
const UNITS = new Set([...NATIVE_UNITS, 'quarters']);
/** The longest first, as what is left of one is told in the next. */
const DISTANCES = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'];

export const dateTime: Mapper = (node) => {
  const { operation = 'getCurrentDate', outputFieldName } = node.parameters;
  // The first version has another form, and the letters of another library in its formats.
  if (node.source.typeVersion < 2 && !(typeof node.parameters.operation === 'string' && NAMES.has(operation as string)))
    return oldDateTime(node);
  const usual = NAMES.get(String(operation));
  if (usual === undefined) return null;
  const name = typeof outputFieldName === 'string' && outputFieldName !== '' ? outputFieldName : usual;
  return native(node, name) ?? scripted(node, name);
};

/** As the kind `date`, which people can read and change; null where that does not do it all. */
function native(node: NodeMapping, name: string): MappedOutputs | null {
  const { operation = 'getCurrentDate', date, magnitude, duration = 0, timeUnit = 'days', options } = node.parameters;
  const { includeTime, format = 'MM/dd/yyyy', customFormat } = node.parameters;
  if (!node.has('date') || name.startsWith('=')) return null;
  if (node.has('code')) {
    if (node.input.type !== 'single') return null;
    if (isObject(options) && (options.includeInputFields === true || options.fromFormat)) return null;
  }
  const result = (params: Record<string, unknown>, field: string): MappedOutputs => {
    const { id } = node.add('date', params);
    return { shapes: [{ type: 'single', item: { [name]: refTo(`_output.${id}.${field}`) } }] };
  };
  if (operation === 'getCurrentDate' && includeTime !== false) return result({}, 'iso');
  if (operation === 'formatDate') {
    const tokens = node.text(format === 'custom' ? customFormat : format);
    return tokens === '' ? null : result({ value: node.value(date), format: tokens }, 'text');
  }
  if (operation !== 'addToDate' && operation !== 'subtractFromDate') return null;
  if (!NATIVE_UNITS.has(String(timeUnit)) || typeof duration !== 'number' || !Number.isInteger(duration)) return null;
  const add = operation === 'addToDate' ? duration : -duration;
  return result({ value: node.value(magnitude), add, unit: String(timeUnit) }, 'iso');
}

function scripted(node: NodeMapping, name: string): MappedOutputs | null {
  const { options, ...parameters } = node.parameters;
  const value = node.has('code') ? valueJs(parameters, isObject(options) ? options.fromFormat : undefined) : null;
  if (value === null) return null;
  const kept = isObject(options) && options.includeInputFields === true ? '...$json, ' : '';
  const js = `({ ${kept}[${toJs(name)}]: ${value} })`;
  const { id } = node.addScript(mapScript(js), nodesReadIn([parameters, options]));
  const result = `_output.${id}.result`;
  return { shapes: [node.input.type === 'single' ? singleAt(`${result}[0]`) : { type: 'list', ref: result }] };
}

/** What the operation makes of an item, as JavaScript; null where a script cannot. */
function valueJs(parameters: Record<string, unknown>, fromFormat: unknown): string | null {
  const { operation = 'getCurrentDate', date, magnitude, duration = 0, timeUnit = 'days', includeTime } = parameters;
  const { format = 'MM/dd/yyyy', customFormat, part = 'month', mode = 'roundDown', to = 'month' } = parameters;
  const { toNearest = 'month', startDate, endDate, units = ['day'] } = parameters;
  switch (operation) {
    case 'getCurrentDate':
      return includeTime === false ? '$today.toISO()' : '$now.toISO()';
    case 'formatDate':
      // Nothing stays nothing.
      return `(${toJs(date ?? null)} === null ? null : ${timeJs(date, fromFormat)}.toFormat(${toJs(format === 'custom' ? customFormat : format)}))`;
    case 'extractDate':
      return PARTS.has(String(part)) ? `${timeJs(date)}.extract('${String(part)}')` : null;
    case 'addToDate':
    case 'subtractFromDate': {
      if (!UNITS.has(String(timeUnit))) return null;
      const method = operation === 'addToDate' ? 'plus' : 'minus';
      return `${timeJs(magnitude)}.${method}(Number(${toJs(duration)}), '${String(timeUnit)}').toISO()`;
    }
    case 'roundDate':
      if (mode === 'roundUp')
        return to === 'month' ? `${timeJs(date)}.plus(1, 'month').startOf('month').toISO()` : null;
      return PARTS.has(String(toNearest)) ? `${timeJs(date)}.startOf('${String(toNearest)}').toISO()` : null;
    case 'getTimeBetweenDates': {
      const wanted = DISTANCES.filter((unit) => Array.isArray(units) && units.includes(unit));
      if (wanted.length === 0) return null;
      return `((start, end) => __distance(start, end, ${JSON.stringify(wanted.map((unit) => `${unit}s`))}))(${timeJs(startDate)}, ${timeJs(endDate)})`;
    }
    default:
      return null;
  }
}

/** A parameter as a time; what is none fails, as in n8n. */
function timeJs(parameter: unknown, format?: unknown): string {
  const read = format
    ? `DateTime.fromFormat(String(value), ${toJs(format)})`
    : `DateTime.fromISO(/^-?\\d{9,}$/.test(value) ? Number(value) : value)`;
  return `((value) => { const time = ${read}; if (!time.isValid) throw new Error('This is no date: ' + String(value).slice(0, 100)); return time; })(${toJs(parameter ?? null)})`;
}
