/** How n8n's Merge puts the items of two inputs together that agree in fields. */
export interface FieldJoin {
  /** A field of the first input and its counterpart in the second one. */
  pairs: readonly (readonly [string, string])[];
  joinMode: string;
  outputDataFrom: string;
  isFuzzy: boolean;
  isFirstMatchOnly: boolean;
  /** Whether a dot leads into an object. */
  isDotted: boolean;
  /** Whose value stays where both have a field. */
  clash: 'first' | 'second' | 'suffix';
  isDeep: boolean;
  /** Whether nothing (null, an empty text) gives way to something. */
  fillsEmpty: boolean;
}

/** A script over `params.lists`, the items of the two inputs, to the items that are handed on. */
export function joinScript(join: FieldJoin): string {
  return [
    'const [left, right] = params.lists.map((list) => (Array.isArray(list) ? list : list === null ? [] : [list]));',
    valuesOf(join),
    matching(join),
    putting(join),
    `return ${handedOn(join)};`,
  ].join('\n');
}

function valuesOf({ pairs, isDotted }: FieldJoin): string {
  return `const pairs = ${JSON.stringify(pairs)};
const valueAt = (item, name) => ${isDotted ? "Object.hasOwn(item, name) ? item[name] : name.replace(/\\[(\\w+)\\]/g, '.$1').split('.').reduce((one, key) => one?.[key], item)" : 'item[name]'};`;
}

/** Each item of the first input with its counterparts, found by a text of their keys: lists may be long. */
function matching({ isFuzzy, isFirstMatchOnly }: FieldJoin): string {
  const text = isFuzzy
    ? `{
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : text;
}`
    : '(JSON.stringify(value))';
  return `const textOf = (value) => ${text};
const byKey = new Map();
right.forEach((item, index) => {
  const values = pairs.map(([, name]) => valueAt(item, name));
  ${isFuzzy ? '' : 'if (values.includes(undefined)) return;\n  '}const key = JSON.stringify(values.map(textOf));
  if (byKey.has(key)) byKey.get(key).push(index);
  else byKey.set(key, [index]);
});
const matchedRight = new Set();
const matches = left.map((item) => {
  const values = pairs.map(([name]) => valueAt(item, name));
  if (values.includes(undefined)) return [];
  const found = (byKey.get(JSON.stringify(values.map(textOf))) ?? [])${isFirstMatchOnly ? '.slice(0, 1)' : ''};
  found.forEach((index) => matchedRight.add(index));
  return found;
});
const unmatchedLeft = left.filter((_, index) => matches[index].length === 0);
const unmatchedRight = right.filter((_, index) => !matchedRight.has(index));`;
}

function putting({ clash, isDeep, fillsEmpty }: FieldJoin): string {
  const inner = isDeep
    ? `value !== null && typeof value === 'object' && fields[key] !== null && typeof fields[key] === 'object' && Array.isArray(value) === Array.isArray(fields[key]) ? over(fields[key], value) : value`
    : 'value';
  const suffixed =
    clash === 'suffix'
      ? "\nconst suffixed = (item, suffix) => Object.fromEntries(Object.entries(item).map(([key, value]) => [key + '_' + suffix, value]));"
      : '';
  const [first, second] = clash === 'suffix' ? ["suffixed(item, '1')", "suffixed(other, '2')"] : ['item', 'other'];
  return `const over = (under, upper) => {
  const fields = Array.isArray(under) ? [...under] : { ...under };
  for (const [key, value] of Object.entries(upper)) {
    ${fillsEmpty ? "if ((value === null || value === '') && Object.hasOwn(fields, key)) continue;\n    " : ''}fields[key] = ${inner};
  }
  return fields;
};${suffixed}
const both = (item, other) => over(${clash === 'first' ? `${second}, ${first}` : `${first}, ${second}`});
const merged = left.flatMap((item, index) => matches[index].map((at) => both(item, right[at])));`;
}

function handedOn({ joinMode, outputDataFrom, clash }: FieldJoin): string {
  const [first, second] =
    clash === 'suffix'
      ? ["...unmatchedLeft.map((item) => suffixed(item, '1'))", "...unmatchedRight.map((item) => suffixed(item, '2'))"]
      : ['...unmatchedLeft', '...unmatchedRight'];
  if (joinMode === 'keepEverything') return `[...merged, ${first}, ${second}]`;
  if (joinMode === 'enrichInput1') return `[...merged, ${first}]`;
  if (joinMode === 'enrichInput2') return `[...merged, ${second}]`;
  if (joinMode === 'keepNonMatches') {
    if (outputDataFrom === 'input1') return 'unmatchedLeft';
    if (outputDataFrom === 'input2') return 'unmatchedRight';
    return "[...unmatchedLeft.map((item) => ({ ...item, _source: 'input1' })), ...unmatchedRight.map((item) => ({ ...item, _source: 'input2' }))]";
  }
  if (outputDataFrom === 'input1') return 'left.filter((_, index) => matches[index].length > 0)';
  return outputDataFrom === 'input2' ? 'right.filter((_, index) => matchedRight.has(index))' : 'merged';
}
