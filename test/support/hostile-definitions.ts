import { toolCatalogue } from '@app/workflow-tools';

type Random = () => number;
interface HostileNode {
  id: string;
  kind: string;
  params: Record<string, unknown>;
  next: string[];
  on_error: 'continue';
}
export interface HostileDefinition {
  name: string;
  nodes: HostileNode[];
}

/** What makes much out of little, by what it makes. */
export const PRODUCERS: Readonly<Record<string, string>> = {
  lists: 'return "[" + "[1],".repeat(900000) + "[1]]"',
  deep: 'return "[".repeat(150) + "]".repeat(150)',
  tooDeep: 'return "[".repeat(100000) + "]".repeat(100000)',
  objects: 'return "[" + "{},".repeat(900000) + "{}]"',
  items: 'return Array.from({ length: 95000 }, (_, i) => ({ k: (i * 7919) % 95000, v: "x" }))',
  equal: 'return Array.from({ length: 50000 }, () => ({ k: 1 }))',
  wide: 'return Object.fromEntries(Array.from({ length: 100000 }, (_, i) => ["k" + i, i]))',
  longKeys: 'return { ["k".repeat(1900000)]: 1 }',
  text: 'return "ab".repeat(1900000)',
  spaces: 'return " ".repeat(3900000) + "x"',
  marks: 'return "a\\u0301\\u0323".repeat(300000)',
  pairs: 'return "\\ud83d\\ude00".repeat(900000)',
  controls: 'return "\\u0000\\ud800\\u0001".repeat(200000)',
  commas: 'return ",".repeat(3900000)',
  quotes: 'return "\\"".repeat(1900000)',
  tags: 'return "<div>".repeat(700000)',
  rows: 'return "<table>" + "<tr><td>x</td></tr>".repeat(150000) + "</table>"',
  markup: 'return "> ".repeat(100000) + "[".repeat(100000) + "*a_ ".repeat(200000)',
  elements: 'return "<r>" + "<a b=\\"1\\"/>".repeat(300000) + "</r>"',
  numbers: 'return [1e308, -1e308, 5e-324, 2 ** 53, -0, 1e21]',
  forever: 'for (;;);',
  memory: 'const a = []; for (;;) a.push(new Array(1000).fill(a.length))',
  recursion: 'const f = () => f() + 1; return f()',
};

const PATTERNS = ['(a+)+$', '(a|a)*b', '(.*)*x', '((a*)*)*c', '^(\\w+\\s?)*$', '(?=(a+))a*b\\1', '\\p{L}+', 'a', ''];
const EXPRESSIONS = [
  '$sum([1..100000])',
  '[1..1000].([1..1000].$)',
  '($f := function($n) { $f($n + 1) }; $f(0))',
  '$join([1..100000].$string())',
  '$replace($, /(a+)+$/, "x")',
  '$sort($$, function($a, $b) { $a.k > $b.k })',
  '$map($$, function($v) { $merge([$v, $$]) })',
  '$pad("x", 1000000)',
  '**.**.**',
  '$formatNumber(1e300, "#,##0." & $pad("0", 1000, "0"))',
];
const TEMPLATES = ['{{_output.NODE}}', '{{_output.NODE.result}}', '{{_output.NODE.text}}'];
const SIGNS = ['', ' ', '𝒳', '__proto__', 'constructor', '$1', '$&', '{{', '}}', '../', '%00', '\u202e'];
const NUMBERS = [0, -1, 1, 1e308, -1e308, 100_000, 2 ** 53, 1e-320, 50_000];

/** Nothing of the outside, and nothing that waits for people. */
const EXCLUDED = /http|email|webhook_out|ask|form|approval|language|agent|mcp|delay|sub_workflow/;

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const kinds = toolCatalogue.list().filter(({ kind }) => !EXCLUDED.test(kind));

/** Workflows that ask for too much, in any way that the catalogue knows. The same random numbers give the same ones. */
export function hostileDefinition(random: Random): HostileDefinition {
  const size = 4 + Math.floor(random() * 16);
  const nodes: HostileNode[] = [];
  for (let index = 0; index < size; index += 1) {
    const id = `n${index}`;
    const before = nodes.map((node) => node.id);
    if (before.length > 0) pick(random, nodes.slice(-4)).next.push(id);
    nodes.push({ id, ...(index < 2 ? source(random) : hostileNode(random, before)), next: [], on_error: 'continue' });
  }
  return { name: 'Hostile', nodes };
}

function source(random: Random): Pick<HostileNode, 'kind' | 'params'> {
  return { kind: 'code', params: { code: pick(random, Object.values(PRODUCERS)), time_limit_seconds: 2 } };
}

function hostileNode(random: Random, before: readonly string[]): Pick<HostileNode, 'kind' | 'params'> {
  if (random() < 0.1) return source(random);
  const { kind } = pick(random, kinds);
  const entry = toolCatalogue.find(kind)!.toCatalogueEntry({});
  const { examples: known = [{}] } = entry.params_schema as { examples?: Record<string, unknown>[] };
  // What they refer to is here whatever stands before.
  const examples = JSON.parse(
    JSON.stringify(known).replace(/_output\.[a-z]\w*/g, () => `_output.${pick(random, before)}`),
  ) as Record<string, unknown>[];
  const params = { ...pick(random, examples) };
  for (const { name, type, options } of entry.params) {
    if (random() < 0.5)
      params[name] = options.length > 0 ? pick(random, options).value : hostileValue(random, type, before);
  }
  if (kind === 'regex') params.pattern = pick(random, PATTERNS);
  if (kind === 'expression') params.expression = pick(random, EXPRESSIONS);
  if (kind === 'code') params.code = pick(random, Object.values(PRODUCERS));
  if (kind === 'batch') Object.assign(params, { kind: pick(random, kinds).kind, params: { text: '{{_item}}' } });
  if (kind === 'loop' || kind === 'repeat') {
    delete params.workflow_id;
    params.body = { nodes: [{ id: 'b', kind: 'template', params: { template: '{{_item}}{{_item}}' } }] };
  }
  return { kind, params: accepted(kind, params, pick(random, examples)) };
}

/** Without what is refused when a workflow is saved: an attacker would leave it out too. */
function accepted(
  kind: string,
  given: Record<string, unknown>,
  fallback: Record<string, unknown>,
): Record<string, unknown> {
  const tool = toolCatalogue.find(kind)!;
  const params = { ...given };
  for (let round = 0; round < 10; round += 1) {
    const [problem] = tool.checkParams(params, [], toolCatalogue);
    if (!problem) return params;
    const [name] = problem.path.replace('params.', '').split(/[.[]/);
    if (!Object.hasOwn(params, name!)) break;
    if (Object.hasOwn(fallback, name!) && params[name!] !== fallback[name!]) params[name!] = fallback[name!];
    else delete params[name!];
  }
  return tool.checkParams(fallback, [], toolCatalogue).length === 0 ? fallback : {};
}

function hostileValue(random: Random, type: string, before: readonly string[]): unknown {
  const roll = random();
  const node = pick(random, before);
  if (roll < 0.5)
    return {
      $ref: pick(random, [
        `_output.${node}`,
        `_output.${node}.result`,
        `_output.${node}.value`,
        `_output.${node}.items`,
      ]),
    };
  if (roll < 0.6)
    return pick(random, TEMPLATES)
      .replace('NODE', node)
      .repeat(1 + Math.floor(random() * 20));
  if (type === 'integer' || type === 'number') return pick(random, NUMBERS);
  if (type === 'boolean') return random() < 0.5;
  if (roll < 0.7) return pick(random, SIGNS).repeat(Math.floor(random() * 2_000));
  if (roll < 0.8) return Array.from({ length: Math.floor(random() * 500) }, () => pick(random, SIGNS));
  if (roll < 0.9) return Array.from({ length: 30 }, () => ({ $ref: `_output.${node}` }));
  return Object.fromEntries(SIGNS.map((sign, index) => [sign, { $ref: `_output.${node}.${index}` }]));
}
