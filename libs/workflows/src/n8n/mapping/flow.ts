import { conditionsToJs, type N8nConditions, nativeOperator, readConditions } from '../conditions.js';
import type { MappedOutputs, Mapper, NodeMapping, SpecNode } from '../node-mapping.js';
import { nodesReadIn, partitionScript } from '../script.js';
import { listValue, refTo, type Shape, singleAt } from '../shape.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A node that changes nothing, under the id by which others lead to it. */
export function passOn(node: NodeMapping, outputs = 1): MappedOutputs {
  const { next } = node.has('no_op') ? node.add('no_op', {}) : node.add('set', { fields: {} });
  return {
    shapes: Array.from({ length: outputs }, () => node.input),
    connect: (_output, ids) => void next.push(...ids.filter((id) => !next.includes(id))),
  };
}

function take(gate: SpecNode, list: unknown, ids: readonly string[]): void {
  for (const id of ids) {
    if (!gate.next.includes(id)) gate.next.push(id);
    if (Array.isArray(list) && !list.includes(id)) list.push(id);
  }
}

/** Sends each item to the outputs that `js` names; what leads on is taken when at least one item does. */
function partition(node: NodeMapping, js: string, outputs: number, reads: readonly string[]): MappedOutputs | null {
  if (!node.has('code')) return null;
  const parts = node.addScript(partitionScript(js, outputs), reads);
  const gates = new Map<number, SpecNode>();
  return {
    shapes: Array.from({ length: outputs }, (_, output): Shape => {
      return { type: 'list', ref: `_output.${parts.id}.result[${output}]` };
    }),
    connect(output, ids) {
      if (output >= outputs) return;
      const known = gates.get(output);
      const left = refTo(`_output.${parts.id}.result[${output}]`);
      const gate: SpecNode = known ?? {
        id: `${node.id}__output_${output}`,
        kind: 'condition',
        name: `${node.source.name} (output ${output})`.slice(0, 100),
        params: { left, operator: 'is_not_empty', if_true: [] },
        next: [],
      };
      if (!known) {
        gates.set(output, gate);
        node.nodes.push(gate);
        parts.next.push(gate.id);
      }
      take(gate, gate.params.if_true, ids);
    },
  };
}

/** A value and an operator that say whether the conditions hold. */
function compare(node: NodeMapping, conditions: N8nConditions): Record<string, unknown> | null {
  const [only, ...more] = conditions.list;
  const operator = only && more.length === 0 ? nativeOperator(only) : null;
  if (only && operator) {
    if (only.operation === 'exists' || only.operation === 'notExists')
      node.note('An empty value counts as one that does not exist.');
    const isUnary = operator.startsWith('is_');
    return { left: node.value(only.left), operator, ...(!isUnary && { right: node.value(only.right) }) };
  }
  if (!node.has('code')) return null;
  return { left: node.value(`={{ ${conditionsToJs(conditions)} }}`), operator: 'is_true' };
}

function branch(node: NodeMapping, conditions: N8nConditions | null, hasElse: boolean): MappedOutputs | null {
  if (!conditions) return null;
  const outputs = hasElse ? 2 : 1;
  if (node.input.type !== 'single') {
    const js = `(${conditionsToJs(conditions)} ? [0] : [1])`;
    return partition(node, js, outputs, nodesReadIn(conditions.list));
  }
  const compared = compare(node, conditions);
  if (!compared) return null;
  const params: Record<string, unknown> = { ...compared, if_true: [], if_false: [] };
  const gate = node.add('condition', params);
  return {
    shapes: Array.from({ length: outputs }, () => node.input),
    connect: (output, ids) => take(gate, output === 0 ? params.if_true : params.if_false, ids),
  };
}

const ifNode: Mapper = (node) => {
  const { conditions, combineOperation } = node.parameters;
  return branch(node, readConditions(conditions, combineOperation), true);
};

const filter: Mapper = (node) => {
  const { conditions, combineConditions } = node.parameters;
  const combine = combineConditions === 'OR' ? 'any' : 'all';
  return branch(node, readConditions(conditions, combine), false);
};

interface Rule {
  conditions: N8nConditions;
  output: number;
}

/** The rules of a Switch of any version; null for one that computes its output. */
function readRules({ rules, value1, dataType }: Record<string, unknown>): Rule[] | null {
  const holder = isObject(rules) ? rules : {};
  const items = Array.isArray(holder.values) ? holder.values : holder.rules;
  if (!Array.isArray(items)) return null;
  const read = items.map((item: unknown, index): Rule | null => {
    if (!isObject(item)) return null;
    if (item.conditions) {
      const conditions = readConditions(item.conditions);
      return conditions && { conditions, output: index };
    }
    const operation = String(item.operation ?? 'equal');
    const list = [{ left: value1, right: item.value2, type: String(dataType ?? 'number'), operation }];
    return { conditions: { all: true, list }, output: Number(item.output ?? index) };
  });
  return read.every((rule) => rule !== null) ? read : null;
}

const switchNode: Mapper = (node) => {
  const { parameters } = node;
  const options = isObject(parameters.options) ? parameters.options : {};
  const rules = readRules(parameters);
  if (!rules || rules.length === 0) return null;
  const fallback = options.fallbackOutput ?? parameters.fallbackOutput ?? 'none';
  const named = Math.max(...rules.map(({ output }) => output + 1));
  const rest = fallback === 'extra' ? named : Number.isInteger(fallback) ? Number(fallback) : -1;
  const otherwise = rest >= 0 ? [rest] : [];
  const outputs = Math.max(named, rest + 1);
  const takesAll = options.allMatchingOutputs === true;
  const found = rules.map(({ conditions, output }) => `${conditionsToJs(conditions)} ? [${output}] : []`);
  const js = takesAll
    ? `((found) => found.length > 0 ? found : ${JSON.stringify(otherwise)})([${found.map((one) => `...(${one})`).join(', ')}])`
    : `(${rules.map(({ conditions, output }) => `${conditionsToJs(conditions)} ? [${output}] : `).join('')}${JSON.stringify(otherwise)})`;
  if (node.input.type !== 'single')
    return partition(node, js, outputs, nodesReadIn(rules.map(({ conditions }) => conditions.list)));
  return chosen(node, rules, { js, outputs, otherwise, takesAll });
};

/** For one item: a switch over a value of the item where all rules ask for the same one, else over what a script finds. */
function chosen(
  node: NodeMapping,
  rules: readonly Rule[],
  { js, outputs, otherwise, takesAll }: { js: string; outputs: number; otherwise: number[]; takesAll: boolean },
): MappedOutputs | null {
  const firsts = rules.map(({ conditions }) => (conditions.list.length === 1 ? conditions.list[0]! : null));
  const left = firsts[0]?.left;
  const isNative = firsts.every((one) => one && one.left === left && nativeOperator(one));
  if (!isNative && !node.has('code')) return null;
  const cases = isNative
    ? rules.map(({ output }, index) => ({
        operator: nativeOperator(firsts[index]!)!,
        value: node.value(firsts[index]!.right),
        next: [] as string[],
        output,
      }))
    : Array.from({ length: outputs }, (_, output) => ({
        operator: 'contains',
        value: output,
        next: [] as string[],
        output,
      }));
  const fallback: string[] = [];
  const gate = node.add('switch', {
    value: isNative ? node.value(left) : node.value(`={{ ${js} }}`),
    cases: cases.map(({ operator, value, next }) => ({ operator, value, next })),
    mode: takesAll || !isNative ? 'all' : 'first',
    default: fallback,
  });
  return {
    shapes: Array.from({ length: outputs }, () => node.input),
    connect(output, ids) {
      for (const one of cases) if (one.output === output) take(gate, one.next, ids);
      if (isNative && otherwise.includes(output)) take(gate, fallback, ids);
    },
  };
}

const merge: Mapper = (node) => {
  const { mode = 'append', combineBy, output } = node.parameters;
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
  const areSingle = node.inputs.every(({ type }) => type === 'single');
  const isByPosition = combineBy === 'combineByPosition' || mode === 'mergeByIndex' || mode === 'multiplex';
  if (areSingle && mode !== 'combineBySql') {
    if (!isByPosition) node.note('The items are put together without a look at the matching fields.');
    const values = node.inputs.map((shape) => (shape.type === 'single' ? shape.item : null));
    const { id } = node.add('merge', { values, mode: 'combine' });
    return { shapes: [singleAt(`_output.${id}.value`)] };
  }
  if (isByPosition && node.has('code')) {
    const code =
      'const lists = params.lists.map((list) => (Array.isArray(list) ? list : list === null ? [] : [list]));\n' +
      'return lists[0].slice(0, Math.min(...lists.map((list) => list.length))).map((_, index) => Object.assign({}, ...lists.map((list) => list[index])));';
    const { id } = node.add('code', { code, params: { lists } });
    return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
  }
  return joinByField(node, lists);
};

function joinByField(node: NodeMapping, [left, right]: readonly unknown[]): MappedOutputs | null {
  const { fieldsToMatchString, mergeByFields, joinMode = 'keepMatches' } = node.parameters;
  const values = isObject(mergeByFields) ? mergeByFields.values : null;
  const pairs = Array.isArray(values) ? values.filter(isObject) : [];
  const name = typeof fieldsToMatchString === 'string' ? fieldsToMatchString : pairs[0]?.field1;
  const other = typeof fieldsToMatchString === 'string' ? fieldsToMatchString : pairs[0]?.field2;
  const modes: Record<string, string> = {
    keepMatches: 'inner',
    keepEverything: 'full',
    enrichInput1: 'left',
    keepNonMatches: 'unmatched',
  };
  const mode = modes[String(joinMode)];
  if (!node.has('join_lists') || typeof name !== 'string' || typeof other !== 'string' || !mode) return null;
  if (name.includes(',') || pairs.length > 1) node.note('Only the first of the fields is matched.');
  const [leftKey, rightKey] = [name, other].map((field) => field.split(',')[0]!.trim());
  const { id } = node.add('join_lists', { left, right, left_key: leftKey, right_key: rightKey, mode });
  return { shapes: [{ type: 'list', ref: `_output.${id}.items` }] };
}

const SECONDS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

const wait: Mapper = (node) => {
  const { resume = 'timeInterval', amount = 1, unit = 'hours', dateTime } = node.parameters;
  if (resume === 'timeInterval' && typeof amount === 'number')
    node.add('delay', { seconds: amount * (SECONDS[String(unit)] ?? 1) });
  else if (resume === 'timeInterval')
    node.add('delay', {
      seconds: node.value(`={{ Number(${toAmount(amount)}) * ${SECONDS[String(unit)] ?? 1} }}`),
    });
  else if (resume === 'specificTime') node.add('delay', { until: node.value(dateTime) });
  else return null;
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

const respond: Mapper = (node) => {
  const { respondWith = 'firstIncomingItem', responseBody } = node.parameters;
  node.note('A webhook is answered at once; the answer is kept as an output of the run instead.');
  const body = respondWith === 'json' || respondWith === 'text' ? node.value(responseBody) : firstItem(node.input);
  const added = node.add('set', { fields: { body } });
  added.save_output = true;
  return { shapes: [node.input] };
};

function firstItem(shape: Shape): unknown {
  if (shape.type === 'single') return shape.item;
  return refTo(shape.type === 'list' ? `${shape.ref}[0]` : shape.ref);
}

export const flow: Record<string, Mapper> = {
  if: ifNode,
  filter,
  switch: switchNode,
  merge,
  wait,
  noOp: (node) => passOn(node),
  splitInBatches: loop,
  stopAndError: stop,
  respondToWebhook: respond,
};
