import { cutText } from '@app/common';
import type { MappedOutputs, Mapper, NodeMapping, SpecNode } from '../node-mapping.js';
import { listValue, refTo, type Shape, singleAt } from '../shape.js';
import { isObject } from '../json-object.js';
import { type FieldJoin, joinScript } from '../join-script.js';
import { passOn } from './pass-on.js';
import { waitForSomebody } from './people.js';

const merge: Mapper = (node) => {
  const { mode = 'append', combineBy, combinationMode, output } = node.parameters;
  const lists = node.inputs.map((shape) => (shape.type === 'either' ? refTo(shape.ref) : listValue(shape)));
  if (mode === 'chooseBranch' || mode === 'passThrough') {
    const isSecond = output === 'input2' || node.parameters.useDataOfInput === 2;
    node.note('It hands on the first input that is there.');
    const values = isSecond ? lists.toReversed() : lists;
    const { id } = node.add('merge', { values, mode: 'first' });
    return { shapes: [{ type: 'list', ref: `_output.${id}.value` }] };
  }
  if (mode === 'append') {
    const { id } = node.add('merge', { values: lists, mode: 'append' });
    return { shapes: [{ type: 'list', ref: `_output.${id}.value` }] };
  }
  if ((combineBy === 'combineAll' || combinationMode === 'multiplex' || mode === 'multiplex') && node.has('code')) {
    const code =
      'const lists = params.lists.map((list) => (Array.isArray(list) ? list : list === null ? [] : [list]));\n' +
      'return lists.reduce((rows, list) => rows.flatMap((row) => list.map((item) => ({ ...row, ...item }))), [{}]);';
    const { id } = node.add('code', { code, params: { lists } });
    return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
  }
  const takesUnpaired = fieldsOf(node.parameters.options).includeUnpaired === true;
  const areSingle = node.inputs.every(({ type }) => type === 'single');
  const isByPosition =
    combineBy === 'combineByPosition' || combinationMode === 'mergeByPosition' || mode === 'mergeByIndex';
  if (areSingle && mode !== 'combineBySql') {
    if (!isByPosition) node.note('The items are put together without a look at the matching fields.');
    const values = node.inputs.map((shape) => (shape.type === 'single' ? shape.item : null));
    const { id } = node.add('merge', { values, mode: 'combine' });
    return { shapes: [singleAt(`_output.${id}.value`)] };
  }
  if (isByPosition && node.has('code')) {
    const code =
      'const lists = params.lists.map((list) => (Array.isArray(list) ? list : list === null ? [] : [list]));\n' +
      `return Array.from({ length: Math.${takesUnpaired ? 'max' : 'min'}(...lists.map((list) => list.length)) }, (_, index) => Object.assign({}, ...lists.map((list) => list[index])));`;
    const { id } = node.add('code', { code, params: { lists } });
    return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
  }
  if (takesUnpaired) node.note('What has no counterpart at its place in the other input is left out.');
  return joinByField(node, lists);
};

const JOINS = new Set(['keepMatches', 'keepEverything', 'enrichInput1', 'enrichInput2', 'keepNonMatches']);

function joinByField(node: NodeMapping, lists: readonly unknown[]): MappedOutputs | null {
  const { joinMode = 'keepMatches', outputDataFrom = 'both', options } = node.parameters;
  const pairs = fieldPairs(node.parameters);
  if (pairs.length === 0 || !JOINS.has(String(joinMode))) return null;
  const { resolveClash, mergeMode, overrideEmpty } = fieldsOf(fieldsOf(fieldsOf(options).clashHandling).values);
  const { fuzzyCompare, multipleMatches, disableDotNotation } = fieldsOf(options);
  // Without a word about it the second input counts, and the first one where it enriches the second.
  const isFirst = resolveClash === 'preferInput1' || (resolveClash === undefined && joinMode === 'enrichInput2');
  const join: FieldJoin = {
    pairs,
    joinMode: String(joinMode),
    outputDataFrom: String(outputDataFrom),
    isFuzzy: fuzzyCompare === true,
    isFirstMatchOnly: multipleMatches === 'first',
    isDotted: disableDotNotation !== true,
    clash: resolveClash === 'addSuffix' ? 'suffix' : isFirst ? 'first' : 'second',
    isDeep: mergeMode !== 'shallowMerge',
    fillsEmpty: overrideEmpty === true,
  };
  const native = nativeJoin(join, lists);
  if (native && node.has('join_lists')) return itemsOf(node.add('join_lists', native));
  if (!node.has('code')) return null;
  const { id } = node.add('code', { code: joinScript(join), params: { lists } });
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
}

/** The fields that have to agree; those of one name are a text with commas, unless the names differ. */
function fieldPairs({ fieldsToMatchString, mergeByFields, advanced }: Record<string, unknown>): [string, string][] {
  if (typeof fieldsToMatchString === 'string' && advanced !== true) {
    const names = fieldsToMatchString.split(',').map((name) => name.trim());
    return names.filter((name) => name !== '').map((name) => [name, name]);
  }
  const { values } = fieldsOf(mergeByFields);
  return (Array.isArray(values) ? values : []).flatMap((pair): [string, string][] => {
    const { field1, field2 } = fieldsOf(pair);
    return typeof field1 === 'string' && typeof field2 === 'string' && field1 && field2 ? [[field1, field2]] : [];
  });
}

/** The join as the kind of its own that people know; null where that does something else. */
function nativeJoin(join: FieldJoin, [left, right]: readonly unknown[]): Record<string, unknown> | null {
  const { pairs, joinMode, outputDataFrom, clash } = join;
  const [leftKey, rightKey] = pairs[0]!;
  const first = { left, right, left_key: leftKey, right_key: rightKey };
  const second = { left: right, right: left, left_key: rightKey, right_key: leftKey };
  const isUnmatched = joinMode === 'keepNonMatches';
  if (pairs.length > 1 || join.isFuzzy || join.isFirstMatchOnly || join.fillsEmpty || clash === 'suffix') return null;
  if (!join.isDotted && pairs[0]!.some((name) => /[.[]/.test(name))) return null;
  if (isUnmatched) {
    if (outputDataFrom === 'both') return null;
    return { ...(outputDataFrom === 'input2' ? second : first), mode: 'unmatched' };
  }
  if (joinMode === 'keepMatches' && outputDataFrom !== 'both') return null;
  if (joinMode === 'enrichInput2') return { ...second, mode: 'left', prefer: clash === 'second' ? 'items' : 'joined' };
  const mode = joinMode === 'keepMatches' ? 'inner' : joinMode === 'keepEverything' ? 'full' : 'left';
  return { ...first, mode, prefer: clash === 'second' ? 'joined' : 'items' };
}

function itemsOf({ id }: SpecNode): MappedOutputs {
  return { shapes: [{ type: 'list', ref: `_output.${id}.items` }] };
}

const SECONDS = new Map(Object.entries({ seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }));

const wait: Mapper = (node) => {
  // An hour in the first version, five seconds since: an export leaves out what nobody has changed.
  const unchanged = node.source.typeVersion < 1.1 ? { amount: 1, unit: 'hours' } : { amount: 5, unit: 'seconds' };
  const { resume = 'timeInterval', amount = unchanged.amount, unit = unchanged.unit, dateTime } = node.parameters;
  if (resume === 'timeInterval' && typeof amount === 'number')
    node.add('delay', { seconds: amount * (SECONDS.get(String(unit)) ?? 1) });
  else if (resume === 'timeInterval')
    node.add('delay', {
      seconds: node.value(`={{ Number(${toAmount(amount)}) * ${SECONDS.get(String(unit)) ?? 1} }}`),
    });
  else if (resume === 'specificTime') node.add('delay', { until: node.value(dateTime) });
  else return waitForSomebody(node);
  return { shapes: [node.input] };
};

function toAmount(amount: unknown): string {
  return typeof amount === 'string' ? amount.replace(/^=\{\{|\}\}$/g, '').trim() : '0';
}

const loop: Mapper = (node) => {
  node.note('There is no loop: the nodes of its body run once, over the whole list.');
  return passOn(node, 2);
};

const stop: Mapper = (node) => {
  const { errorType, errorMessage, errorObject } = node.parameters;
  const message = node.text(errorType === 'errorObject' ? errorObject : errorMessage);
  node.add('stop_with_error', { message: message === '' ? 'The workflow was stopped.' : message });
  return { shapes: [node.input] };
};

/** Headers that may be set; `respond` refuses the others when the workflow is saved. */
const ANSWERED =
  /^(?:content-(?:type|language|disposition)|cache-control|expires|etag|last-modified|location|retry-after)$/i;
const OF_TEXTS: Record<string, string> = { json: 'application/json', text: '' };

const respond: Mapper = (node) => {
  const { respondWith = 'firstIncomingItem', responseBody, redirectURL, options } = node.parameters;
  if (respondWith === 'binary' || respondWith === 'jwt') return null;
  node.note('The caller gets this answer at the address of the webhook, or with `wait_seconds`; else at once.');
  const { responseCode, responseHeaders } = fieldsOf(options);
  const isRedirect = respondWith === 'redirect';
  const headers = headersOf(node, responseHeaders);
  if (isRedirect) headers.location = node.value(redirectURL);
  const text = OF_TEXTS[String(respondWith)];
  const contentType = typeof responseBody === 'string' ? text : '';
  node.add('respond', {
    status: node.value(responseCode ?? (isRedirect ? 302 : 200)),
    ...(respondWith !== 'noData' && !isRedirect && { body: bodyOf(node, respondWith, responseBody) }),
    ...(contentType &&
      !Object.keys(headers).some((name) => /^content-type$/i.test(name)) && { content_type: contentType }),
    ...(Object.keys(headers).length > 0 && { headers }),
  });
  return { shapes: [node.input] };
};

function bodyOf(node: NodeMapping, respondWith: unknown, responseBody: unknown): unknown {
  if (Object.hasOwn(OF_TEXTS, String(respondWith))) return node.value(responseBody);
  return respondWith === 'allIncomingItems' ? listValue(node.input) : firstItem(node.input);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function headersOf(node: NodeMapping, given: unknown): Record<string, unknown> {
  const { entries } = fieldsOf(given);
  const headers: Record<string, unknown> = {};
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { name, value } = fieldsOf(entry);
    if (typeof name !== 'string' || name === '') continue;
    if (ANSWERED.test(name)) headers[name] = node.value(value);
    else node.note(`The header ${cutText(name, 100)} cannot be set in an answer.`);
  }
  return headers;
}

function firstItem(shape: Shape): unknown {
  if (shape.type === 'single') return shape.item;
  return refTo(shape.type === 'list' ? `${shape.ref}[0]` : shape.ref);
}

export const flow: Record<string, Mapper> = {
  merge,
  wait,
  noOp: (node) => passOn(node),
  splitInBatches: loop,
  stopAndError: stop,
  respondToWebhook: respond,
};
