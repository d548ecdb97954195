import { isExpression } from '../expression.js';
import { isObject } from '../json-object.js';
import type { MappedOutputs, NodeMapping } from '../node-mapping.js';
import { mapScript, nodesReadIn, toJs } from '../script.js';
import { singleAt } from '../shape.js';
import { momentJs, readableFormat } from './moment-format.js';

const UNITS = new Set(['quarters', 'years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds']);

/** The first version of Date & Time: its result stands beside the fields of the item, its formats are those of moment. */
export function oldDateTime(node: NodeMapping): MappedOutputs | null {
  if (!node.has('code')) return null;
  const { options, ...parameters } = node.parameters;
  const { value = '', dataPropertyName = 'data' } = parameters;
  const read = readJs(isObject(options) ? options.fromFormat : undefined);
  const made = read === null ? null : resultJs(parameters);
  if (read === null || made === null) {
    node.note('A format of it has letters that scripts do not have here, or is computed: set it up anew.');
    return null;
  }
  const js = `((value) => { if (value === undefined) return $json; const time = ${read}; if (!time.isValid) throw new Error('This is no date: ' + String(value).slice(0, 100)); return __within($json, [[${toJs(dataPropertyName)}, ${made}]]); })(${toJs(value)})`;
  const { id } = node.addScript(mapScript(js), nodesReadIn([parameters]));
  const result = `_output.${id}.result`;
  return { shapes: [node.input.type === 'single' ? singleAt(`${result}[0]`) : { type: 'list', ref: result }] };
}

/** How `value` becomes a time. A whole number are seconds, but for those that could only be milliseconds. */
function readJs(fromFormat: unknown): string | null {
  if (fromFormat === undefined || fromFormat === '')
    return '(/^-?\\d{9,}$/.test(value) ? DateTime.fromMillis(Math.abs(value) < 1e11 ? value * 1000 : Number(value)) : DateTime.fromISO(value))';
  if (isExpression(fromFormat)) return null;
  if (fromFormat === 'X' || fromFormat === 'x')
    return `DateTime.fromMillis(Number(value)${fromFormat === 'X' ? ' * 1000' : ''})`;
  const format = readableFormat(String(fromFormat));
  return format === null ? null : `DateTime.fromFormat(String(value), ${JSON.stringify(format)})`;
}

function resultJs(parameters: Record<string, unknown>): string | null {
  const { action = 'format', toFormat = 'MM/DD/YYYY', operation = 'add', duration = 0, timeUnit = 'days' } = parameters;
  if (action === 'format') return isExpression(toFormat) ? null : momentJs(String(toFormat));
  if (action !== 'calculate' || !UNITS.has(String(timeUnit))) return null;
  const method = operation === 'subtract' ? 'minus' : 'plus';
  return `time.${method}(Number(${toJs(duration)}), '${String(timeUnit)}').toISO()`;
}
