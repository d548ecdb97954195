import { PRODUCERS } from './hostile-definitions.js';

type Node = Record<string, unknown> & { id: string };

const ref = (path: string) => ({ $ref: `_output.${path}` });
const code = (text: string) => ({ code: text, time_limit_seconds: 30 });

/** A producer, and many nodes at once that do the same with what it made. */
function many(producer: string, count: number, kind: string, params: object): Node[] {
  const ids = Array.from({ length: count }, (_, index) => `n${index}`);
  return [
    { id: 'big', kind: 'code', params: code(producer), next: ids },
    ...ids.map((id) => ({ id, kind, params, on_error: 'continue' })),
  ];
}

/** One after the other, each with a text that is made of the one before, many times. */
function doubling(): Node[] {
  return Array.from({ length: 300 }, (_, index) => ({
    id: `n${index}`,
    kind: 'template',
    on_error: 'continue',
    params: {
      template: index === 0 ? 'x'.repeat(7_000) : `{{_output.n${index % 10 === 0 ? 0 : index - 1}.text}}`.repeat(4),
    },
    next: index < 299 ? [`n${index + 1}`] : [],
  }));
}

function wide(): Node[] {
  const ids = Array.from({ length: 990 }, (_, index) => `n${index}`);
  const text = 'y'.repeat(1_900);
  return [
    { id: 'start', kind: 'template', params: { template: text }, next: ids },
    ...ids.map((id) => ({
      id,
      kind: 'template',
      params: { template: '{{_output.start.text}}'.repeat(4) },
      next: ['all'],
    })),
    { id: 'all', kind: 'merge', params: { values: ids.map((id) => ref(`${id}.text`)) } },
  ];
}

/** Each of one person, all at once. */
export const worstDefinitions: Readonly<Record<string, Node[]>> = {
  'parse lists': many(PRODUCERS.lists!, 28, 'parse_json', { text: '{{_output.big.result}}' }),
  'parse objects': many(PRODUCERS.objects!, 28, 'parse_json', { text: '{{_output.big.result}}' }),
  sort: many(PRODUCERS.items!, 20, 'sort', { items: ref('big.result'), field: 'k' }),
  'write csv': many(PRODUCERS.items!, 20, 'write_csv', { items: ref('big.result') }),
  summarise: many(PRODUCERS.items!, 20, 'summarise', {
    items: ref('big.result'),
    group_by: ['k'],
    operations: Array.from({ length: 50 }, () => ({ operation: 'list', field: 'v' })),
  }),
  join: many(PRODUCERS.equal!, 20, 'join_lists', { left: ref('big.result'), right: ref('big.result'), left_key: 'k' }),
  'edit fields': many(PRODUCERS.equal!, 20, 'edit_fields', {
    value: ref('big.result'),
    pick: Array.from({ length: 200 }, (_, index) => `f${index}`),
  }),
  regex: many('return "a".repeat(50) + "b"', 20, 'regex', { text: ref('big.result'), pattern: '(a+)+$' }),
  expression: many(PRODUCERS.items!, 20, 'expression', {
    expression: '$map($$, function($v) { $merge([$v, {"all": $$}]) })',
    input: ref('big.result'),
  }),
  doubling: doubling(),
  wide: wide(),
  loop: [
    {
      id: 'loop',
      kind: 'loop',
      params: {
        items: Array.from({ length: 200 }, (_, index) => index),
        concurrency: 20,
        body: { nodes: [{ id: 'b', kind: 'code', params: { code: 'return "x".repeat(300000)' } }] },
      },
    },
  ],
  batch: [
    { id: 'big', kind: 'code', params: code('return Array.from({ length: 95000 }, (_, i) => i)'), next: ['batch'] },
    {
      id: 'batch',
      kind: 'batch',
      params: {
        items: ref('big.result'),
        kind: 'template',
        params: { template: '{{_item}} '.repeat(20) },
        concurrency: 50,
      },
    },
  ],
  markup: [
    ...many(PRODUCERS.tags!, 10, 'parse_html', { html: ref('big.result'), item_selector: 'div div div', fields: [] }),
    { id: 'md', kind: 'markdown_to_html', params: { text: '> '.repeat(20_000) }, on_error: 'continue' },
  ],
  files: [
    { id: 'big', kind: 'code', params: code(PRODUCERS.text!), next: ['file'] },
    {
      id: 'file',
      kind: 'file_writer',
      params: { path: 'worst/text.txt', content: ref('big.result'), if_exists: 'replace' },
      next: Array.from({ length: 27 }, (_, index) => `r${index}`),
    },
    ...Array.from({ length: 27 }, (_, index) => ({
      id: `r${index}`,
      kind: 'read_file',
      params: { file: ref('file.media_path'), encoding: 'base64', max_bytes: 10_000_000 },
      on_error: 'continue',
    })),
  ],
  code: ['forever', 'memory', 'recursion'].flatMap((name) =>
    Array.from({ length: 10 }, (_, index) => ({
      id: `${name}${index}`,
      kind: 'code',
      params: code(PRODUCERS[name]!),
      on_error: 'continue',
    })),
  ),
};
