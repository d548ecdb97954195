import { cutText } from '@app/common';
import { conditionsToJs, type N8nConditions, nativeOperator, readConditions, readFirstVersion } from '../conditions.js';
import type { MappedOutputs, Mapper, NodeMapping, SpecNode } from '../node-mapping.js';
import { nodesReadIn, partitionScript, toJs } from '../script.js';
import { refTo, type Shape } from '../shape.js';
import { isObject } from '../json-object.js';

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
        name: cutText(`${node.source.name} (output ${output})`, 100),
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

/** n8n takes what has no conditions for something that holds. */
function holding(node: NodeMapping, hasElse: boolean): MappedOutputs {
  node.note('It has no conditions in the export, so they hold: set them.');
  const params: Record<string, unknown> = { left: true, operator: 'is_true', if_true: [], if_false: [] };
  const gate = node.add('condition', params);
  return {
    shapes: Array.from({ length: hasElse ? 2 : 1 }, () => node.input),
    connect: (output, ids) => take(gate, output === 0 ? params.if_true : params.if_false, ids),
  };
}

function branch(node: NodeMapping, conditions: N8nConditions | null, hasElse: boolean): MappedOutputs | null {
  if (!conditions) return holding(node, hasElse);
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
function readRules({ parameters: { rules, value1, dataType }, source }: NodeMapping): Rule[] | null {
  const holder = isObject(rules) ? rules : {};
  const items = Array.isArray(holder.values) ? holder.values : holder.rules;
  if (!Array.isArray(items)) return null;
  const read = items.map((item: unknown, index): Rule | null => {
    if (!isObject(item)) return null;
    if (item.conditions) {
      const conditions = readConditions(item.conditions);
      return conditions && { conditions, output: index };
    }
    const list = [readFirstVersion(String(dataType ?? 'number'), value1, item)];
    // Only rules of the first version say where they lead; an export leaves out the output that they begin with.
    const unchanged = source.typeVersion < 2 ? 0 : index;
    return { conditions: { all: true, list }, output: Number(item.output ?? unchanged) };
  });
  return read.every((rule) => rule !== null) ? read : null;
}

/** The number of the output is computed. */
function byExpression(node: NodeMapping): MappedOutputs | null {
  const { output, numberOutputs, outputsAmount } = node.parameters;
  const outputs = Math.min(Math.max(Number(numberOutputs ?? outputsAmount ?? 4) || 4, 1), 100);
  const js = typeof output === 'string' && output.startsWith('=') ? toJs(output) : String(Number(output) || 0);
  return partition(node, `[Number(${js})]`, outputs, nodesReadIn(output));
}

const switchNode: Mapper = (node) => {
  const { parameters } = node;
  const options = isObject(parameters.options) ? parameters.options : {};
  const rules = readRules(node);
  if (parameters.mode === 'expression') return byExpression(node);
  if (!rules || rules.length === 0) return holding(node, true);
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

export const branches: Record<string, Mapper> = { if: ifNode, filter, switch: switchNode };
