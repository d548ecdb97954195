import { parseKeepingNumbers } from '@app/common';
import type { Mapper, NodeMapping } from '../node-mapping.js';
import { codeNodeScript, jsonJs, mapScript, nodesReadIn, objectOf, toJs } from '../script.js';
import { isExpression, nodesReadBy, parseSegments } from '../expression.js';
import { refTo, singleAt } from '../shape.js';
import { isObject } from '../json-object.js';
import { dateTime } from './date-time.js';
import { xml } from './xml.js';

interface Field {
  name: string;
  value: unknown;
  /** How a script makes its expression the type of the field; null where n8n hands it on as it comes. */
  convert: Converter | null;
}

type Converter = (js: string) => string;

function objectsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The fields of a Set node of any version. Since the third one, what they hold becomes what their author chose. */
function readFields({ assignments, fields, values, options }: Record<string, unknown>): Field[] {
  const isLenient = isObject(options) && options.ignoreConversionErrors === true;
  if (isObject(assignments))
    return objectsOf(assignments.assignments).map(({ name, value, type }) =>
      converted(String(name), typed(value, type), type, isLenient),
    );
  if (isObject(fields))
    return objectsOf(fields.values).map(({ name, type: kept = 'stringValue', ...rest }) => {
      const type = String(kept).replace('Value', '');
      const value = typed(rest[String(kept)] ?? UNCHANGED.get(String(kept)), type);
      return converted(String(name), value, type, isLenient);
    });
  if (!isObject(values)) return [];
  return Object.entries(values).flatMap(([type, items]) =>
    objectsOf(items).map(({ name, value }) => ({
      name: String(name),
      value: typed(value ?? UNCHANGED.get(type), type),
      convert: null,
    })),
  );
}

function converted(name: string, value: unknown, type: unknown, isLenient: boolean): Field {
  if (isLoneExpression(value))
    return { name, value, convert: CONVERTED.has(String(type)) ? toType(type, isLenient) : null };
  const isText = type === 'string' && (typeof value === 'number' || typeof value === 'boolean');
  return { name, value: isText ? String(value) : value, convert: null };
}

const CONVERTED = new Set(['string', 'number', 'boolean', 'object', 'array']);
const toType =
  (type: unknown, isLenient: boolean): Converter =>
  (js) =>
    `__as(${JSON.stringify(type)}, ${js}${isLenient ? ', true' : ''})`;

/** An expression with nothing around it, whose value may be of any type. */
function isLoneExpression(value: unknown): value is string {
  if (!isExpression(value)) return false;
  const parts = parseSegments(value);
  return parts.length === 1 && 'js' in parts[0]!;
}

/** What a field begins with: an export leaves out whatever nobody has changed. */
const UNCHANGED = new Map<string, unknown>(
  Object.entries({ string: '', number: 0, boolean: false, stringValue: '', booleanValue: true }),
);

/** Whether the fields of the input stay beside those that are set. Each version has another switch for it, and begins otherwise. */
function keepsInput({ parameters, source: { typeVersion } }: NodeMapping): boolean {
  const { values, keepOnlySet, includeOtherFields, include, assignments, fields, mode } = parameters;
  const isNew = [assignments, fields, mode].some((parameter) => parameter !== undefined);
  if (values !== undefined || keepOnlySet !== undefined || (typeVersion < 3 && !isNew)) return keepOnlySet !== true;
  if (includeOtherFields === true) return true;
  return (include ?? (typeVersion >= 3 && typeVersion < 3.3 ? 'all' : 'none')) !== 'none';
}

/** How n8n reads a text that is put together of expressions, where a field is to be of another type. */
const READERS = new Map(
  Object.entries({
    number: 'Number',
    boolean: "((text) => text.trim().toLowerCase() === 'true')",
    object: '((text) => JSON.parse(text))',
    array: '((text) => JSON.parse(text))',
  }),
);

/** What n8n's form keeps as text but means as a value. */
function typed(value: unknown, type: unknown): unknown {
  if (isExpression(value)) {
    const reader = isLoneExpression(value) ? undefined : READERS.get(String(type));
    return reader === undefined ? value : `={{ ${reader}(${toJs(value)}) }}`;
  }
  if (typeof value !== 'string') return value;
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type === 'object' || type === 'array') {
    try {
      return parseKeepingNumbers(value);
    } catch {
      return value;
    }
  }
  return value;
}

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`, which is what n8n makes of dots. */
function nested<T>(fields: readonly [string, T][], toObject: (fields: Record<string, T>) => T): T {
  const groups = new Map<string, [string, T][]>();
  const leaves = new Map<string, T>();
  for (const [name, value] of fields) {
    const dot = name.indexOf('.');
    if (dot <= 0) leaves.set(name, value);
    else groups.set(name.slice(0, dot), [...(groups.get(name.slice(0, dot)) ?? []), [name.slice(dot + 1), value]]);
  }
  for (const [name, inner] of groups) leaves.set(name, nested(inner, toObject));
  return toObject(Object.fromEntries(leaves));
}

/** Which fields of the item stay, where not all or none of them do; null: all. */
function chosenFields({ include, includeFields, excludeFields }: Record<string, unknown>): string | null {
  const [how, listed] = include === 'except' ? ['__without', excludeFields] : ['__only', includeFields];
  if (include !== 'selected' && include !== 'except') return null;
  // An expression says which fields there are for each item.
  const names = isExpression(listed) ? toJs(listed) : JSON.stringify(typeof listed === 'string' ? listed : '');
  return `${how}($json, ${names})`;
}

const set: Mapper = (node) => {
  const { mode, jsonOutput, options, includeFields, excludeFields } = node.parameters;
  const keepsOthers = keepsInput(node);
  const chosen = keepsOthers ? chosenFields(node.parameters) : null;
  const isRaw = mode === 'raw' || mode === 'json';
  const fields = readFields(node.parameters);
  const isFlat = isObject(options) && options.dotNotation === false;
  // A field within a field that stays is set beside the others there.
  const setsWithin = !isRaw && !isFlat && fields.some(({ name }) => name.includes('.'));
  const isScript = node.input.type !== 'single' || (keepsOthers && (chosen !== null || setsWithin));
  if (isScript && node.has('code')) {
    const entries = fields.map(({ name, value, convert }): [string, string] => [
      name,
      convert && isExpression(value) ? toJs(`={{ ${convert(loneJs(value))} }}`) : toJs(value),
    ]);
    const own = isRaw ? jsonJs(jsonOutput) : isFlat ? objectOf(Object.fromEntries(entries)) : nested(entries, objectOf);
    const kept = chosen ?? '$json';
    const within = entries.map(([name, value]) => `[${JSON.stringify(name)}, ${value}]`).join(', ');
    const js = !keepsOthers ? own : setsWithin ? `__within(${kept}, [${within}])` : `({ ...${kept}, ...${own} })`;
    const { id } = node.addScript(mapScript(js), nodesReadIn([jsonOutput, fields, includeFields, excludeFields]));
    const result = `_output.${id}.result`;
    return { shapes: [node.input.type === 'single' ? singleAt(`${result}[0]`) : { type: 'list', ref: result }] };
  }
  if (chosen !== null) node.note('All other fields are kept, not only the chosen ones.');
  const own = isRaw ? raw(node, jsonOutput) : valuesOf(node, fields, isFlat);
  if (own === null) return null;
  if (keepsOthers) {
    const before = node.input.type === 'single' ? node.input.item : refTo(node.input.ref);
    const { id } = node.add('merge', { values: [before, own], mode: 'combine' });
    return { shapes: [singleAt(`_output.${id}.value`)] };
  }
  if (isObject(own) && !('$ref' in own)) {
    const { id } = node.add('set', { fields: own });
    return { shapes: [singleAt(`_output.${id}`)] };
  }
  const { id } = node.add('set', { fields: { value: own } });
  return { shapes: [singleAt(`_output.${id}.value`)] };
};

function valuesOf(node: NodeMapping, fields: readonly Field[], isFlat: boolean): unknown {
  const entries = fields.map(({ name, value, convert }): [string, unknown] => [
    name,
    convert && isExpression(value) ? node.converted(value, convert) : node.value(value),
  ]);
  return isFlat ? Object.fromEntries(entries) : nested<unknown>(entries, (object) => object);
}

function loneJs(expression: string): string {
  const [only] = parseSegments(expression);
  return only && 'js' in only ? only.js : 'null';
}

/** JSON text that may hold expressions. */
function raw(node: NodeMapping, json: unknown): unknown {
  if (typeof json !== 'string') return json ?? {};
  if (json.startsWith('='))
    return /^=\s*\{\{[\s\S]*\}\}\s*$/.test(json) ? node.value(json.trim()) : node.value(`={{ ${jsonJs(json)} }}`);
  try {
    return parseKeepingNumbers(json);
  } catch {
    return null;
  }
}

/** n8n leaves out of an export what nobody has changed. */
const DEFAULT_CODE = 'for (const item of $input.all()) item.json.myNewField = 1;\nreturn $input.all();';

const PLAIN: Readonly<Record<string, string>> = {
  function: 'for (const item of items) item.json.myVariable = 1;\nreturn items;',
  functionItem: 'item.myVariable = 1;\nreturn item;',
};

const code: Mapper = (node) => {
  const { jsCode, functionCode, language = 'javaScript', mode = 'runOnceForAllItems' } = node.parameters;
  const isScript = /^java/i.test(String(language));
  if (!isScript) node.note(`It is written in ${String(language)}; scripts here are JavaScript.`);
  const type = node.source.type.split('.').at(-1);
  const js = jsCode ?? functionCode ?? (type === 'code' ? DEFAULT_CODE : PLAIN[type ?? '']);
  if (typeof js !== 'string' || !isScript || !node.has('code')) return null;
  if (jsCode === undefined && functionCode === undefined) node.note('It has the code that n8n begins with.');
  const kind = type === 'functionItem' ? 'legacy_each' : mode === 'runOnceForEachItem' ? 'each' : 'all';
  const { id } = node.addScript(codeNodeScript(js, kind), nodesReadBy(js));
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
};

export const data: Record<string, Mapper> = { set, code, function: code, functionItem: code, xml, dateTime };
