import type { MappedOutputs, Mapper, NodeMapping, SpecNode } from '../node-mapping.js';
import { listValue, refTo, type Shape, singleAt } from '../shape.js';
import { isObject } from '../json-object.js';
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

function joinByField(node: NodeMapping, [left, right]: readonly unknown[]): MappedOutputs | null {
  const { fieldsToMatchString, mergeByFields, joinMode = 'keepMatches', outputDataFrom = 'both' } = node.parameters;
  const values = isObject(mergeByFields) ? mergeByFields.values : null;
  const pairs = Array.isArray(values) ? values.filter(isObject) : [];
  const name = typeof fieldsToMatchString === 'string' ? fieldsToMatchString : pairs[0]?.field1;
  const other = typeof fieldsToMatchString === 'string' ? fieldsToMatchString : pairs[0]?.field2;
  if (!node.has('join_lists') || typeof name !== 'string' || typeof other !== 'string') return null;
  if (name.includes(',') || pairs.length > 1) node.note('Only the first of the fields is matched.');
  const [leftKey, rightKey] = [name, other].map((field) => field.split(',')[0]!.trim());
  const first = { left, right, left_key: leftKey, right_key: rightKey };
  const second = { left: right, right: left, left_key: rightKey, right_key: leftKey };
  const { resolveClash } = fieldsOf(fieldsOf(fieldsOf(node.parameters.options).clashHandling).values);
  if (resolveClash === 'addSuffix') node.note('Fields of the same name are not told apart by a suffix.');
  // Without a word about it the second input counts, and the first one where it enriches the second.
  const winner =
    resolveClash === 'preferInput1' || (resolveClash !== 'preferInput2' && joinMode === 'enrichInput2') ? 1 : 2;
  const prefer = winner === 2 ? 'joined' : 'items';
  switch (joinMode) {
    case 'keepMatches':
      if (outputDataFrom !== 'both') node.note('The fields of both inputs come out, not those of one alone.');
      return itemsOf(node.add('join_lists', { ...first, mode: 'inner', prefer }));
    case 'keepEverything':
      return itemsOf(node.add('join_lists', { ...first, mode: 'full', prefer }));
    case 'enrichInput1':
      return itemsOf(node.add('join_lists', { ...first, mode: 'left', prefer }));
    case 'enrichInput2':
      return itemsOf(node.add('join_lists', { ...second, mode: 'left', prefer: winner === 2 ? 'items' : 'joined' }));
    case 'keepNonMatches': {
      if (outputDataFrom !== 'both')
        return itemsOf(
          node.add('join_lists', { ...(outputDataFrom === 'input2' ? second : first), mode: 'unmatched' }),
        );
      node.note('The items do not say in _source which input they are from.');
      const ids = [first, second].map((lists, index) =>
        node.add('join_lists', { ...lists, mode: 'unmatched' }, `input${index + 1}`),
      );
      const unmatched = ids.map(({ id }) => refTo(`_output.${id}.items`));
      const { id } = node.add('merge', { values: unmatched, mode: 'append' });
      return { shapes: [{ type: 'list', ref: `_output.${id}.value` }] };
    }
    default:
      return null;
  }
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
    else node.note(`The header ${name.slice(0, 100)} cannot be set in an answer.`);
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
