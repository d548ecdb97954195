import { type AuthoredTask, AuthoredDraft, NO_THINGS, triggerMeant } from '@app/workflows';
import { toolCatalogue } from '@app/workflow-tools';
import { drawn, intake, report } from '../../../../test/evals/authoring/bases.js';
import { add, nodeOf, node, nodesOf, operations, set } from '../../../../test/evals/authoring/authoring-task.js';
import { ids, worldWithSecrets } from '../../../../test/evals/authoring/world.js';
import { portsOfTheRunner } from '../workflows/ports-of-the-runner.js';
import { inAll } from '../../../../test/support/long.js';

type Json = Record<string, unknown>;

const { tools } = toolCatalogue.toListing(portsOfTheRunner({ hasModel: true, hasMail: true, hasExtractor: true }));
const catalogued = { catalogue: toolCatalogue, tools: tools.filter(({ available }) => available) };
const draftOf = (base: Json | null, task: Partial<AuthoredTask> = {}) =>
  new AuthoredDraft(
    { request: '', base, workflowId: null, things: worldWithSecrets, meant: new Set(), ...task },
    catalogued,
    'Plan',
  );
const edit = async (base: Json, ...list: Json[]) => (await draftOf(base).take(operations(...list)))!;
const build = async (...nodes: Json[]) => (await draftOf(null).take({ nodes }))!;
const messages = ({ problems }: { problems: { message: string }[] }) => problems.map(({ message }) => message);
const start = node('start', 'manual_trigger', {}, ['n']);

describe('operations', () => {
  it('put a node between two, at the way out and with the handle that led there', async () => {
    const { spec, problems } = await edit(
      report,
      add('wait', 'delay', { seconds: 5 }, { after: 'check', before: 'text' }),
    );
    expect(problems).toEqual([]);
    expect(nodeOf(spec, 'check')).toMatchObject({
      next: ['wait', 'nothing'],
      params: { if_true: ['wait'], if_false: ['nothing'] },
    });
    expect(spec.edges).toContainEqual({ id: 'check->wait', source: 'check', target: 'wait', sourceHandle: 'if_true' });
    expect(spec.edges).toContainEqual({ id: 'wait->text', source: 'wait', target: 'text' });
    expect(spec.edges).not.toContainEqual(expect.objectContaining({ source: 'check', target: 'text' }));
  });

  it('take a node out of everything that names it', async () => {
    const { spec } = await edit(intake, { op: 'remove_node', id: 'other', reconnect: true });
    expect(nodeOf(spec, 'route')).toMatchObject({ next: ['pay', 'answer', 'done'], params: { default: ['done'] } });
    expect(nodeOf(spec, 'pay')).toMatchObject({ error_next: ['done'], on_error: 'branch' });
  });

  it('leave a definition that is connected by lines alone so', async () => {
    const { spec } = await edit(drawn, add('sum', 'template', { template: 'x' }, { after: 'n4' }));
    expect(nodesOf(spec).filter(({ next }) => next !== undefined)).toEqual([]);
    expect(nodesOf(spec).slice(0, 4)).toEqual(drawn.nodes);
  });

  it('apply what can be applied, and say what cannot', async () => {
    const checked = await edit(
      report,
      set('mail', { 'params.subject': 'New', id: 'other', next: [] }),
      { op: 'connect', from: 'mail', to: 'nowhere', outlet: null },
      { op: 'connect', from: 'check', to: 'mail', outlet: 'sideways' },
      { op: 'explode' },
    );
    expect(nodeOf(checked.spec, 'mail')).toMatchObject({ id: 'mail', params: { subject: 'New' } });
    const told = messages(checked).join('\n');
    for (const part of [
      'The id of a node stays',
      'Use connect and disconnect',
      'no node "nowhere"',
      'no way out "sideways"',
      'explode',
    ])
      expect(told).toContain(part);
  });

  it('write keys of prototypes as keys, and touch nothing that is shared', async () => {
    const before = JSON.stringify(report);
    const { spec } = await edit(report, set('mail', { 'params.__proto__.polluted': true, 'params.constructor.x': 1 }));
    expect(({} as Json).polluted).toBeUndefined();
    expect(JSON.stringify(report)).toBe(before);
    expect(JSON.stringify(nodeOf(spec, 'mail'))).toContain('__proto__');
  });
});

describe('checks', () => {
  it('find nothing wrong with the examples of the kinds', async () => {
    for (const tool of catalogued.tools) {
      const examples = (tool.params_schema.examples ?? []) as Json[];
      for (const example of examples) {
        const plain = JSON.parse(JSON.stringify(example).replaceAll('_output.', '_webhook_payload.')) as Json;
        const things = { ...NO_THINGS, mayRead: () => Promise.resolve(true) };
        const checked = await draftOf(null, { things }).take({ nodes: [start, node('n', tool.kind, plain)] });
        // What an example names, nobody has here.
        const own = checked!.problems.filter(
          ({ code }) =>
            !/^(?:unknown_(?:tool|server|workflow|document|file|table|folder)|literal_secret|unknown_kind|next_)/.test(
              code,
            ),
        );
        expect([tool.kind, own]).toEqual([tool.kind, []]);
      }
    }
  });

  it.each([
    'SELECT count(*) FROM orders',
    'WITH top AS (SELECT * FROM orders), more AS (SELECT * FROM top) SELECT more.customer FROM more',
    `SELECT o."total", c.email FROM "orders" AS o LEFT JOIN customers c ON c.name = o.customer WHERE o.customer <> 'from nowhere'`,
    'SELECT * FROM orders -- from elsewhere\nWHERE total > 1',
    'SELECT x FROM range(3) AS t(x)',
    'SELECT * FROM (SELECT customer FROM orders) sub WHERE sub.customer IS NOT NULL',
    'SELECT extract(year FROM ordered_at) FROM orders',
  ])('know the tables of %s', async (sql) => {
    const checked = await build(start, node('n', 'database_query', { file_uids: [ids.sales], sql }));
    expect(messages(checked)).toEqual([]);
  });

  it('say which of two of the same name there are, and look up what is not listed', async () => {
    const twice = [1, 2].map((number) => ({
      uid: `0193a000-0000-7000-8000-00000000009${number}`,
      filename: 'Same.pdf',
      folder: '',
    }));
    const things = {
      ...worldWithSecrets,
      documents: twice,
      mayRead: (uid: string) => Promise.resolve(uid.endsWith('7')),
    };
    const read = async (document: string) =>
      messages((await draftOf(null, { things }).take({ nodes: [start, node('n', 'pdf_text', { document })] }))!);
    expect((await read('Same.pdf')).join()).toContain(`${twice[0]!.uid}), "Same.pdf" (${twice[1]!.uid}`);
    expect(await read('0193a000-0000-7000-8000-000000000097')).toEqual([]);
    expect((await read('0193a000-0000-7000-8000-000000000098')).join()).toContain('No document is called');
  });

  it('never take a number in a name for a slip', async () => {
    const checked = await build(start, node('n', 'pdf_text', { document: 'invoice-2026-12.pdf' }));
    expect(messages(checked).join()).toContain('invoice-2026-11.pdf');
  });

  it('run it with effects mocked: outputs, types, items, and what would never end', async () => {
    const self = '0193a000-0000-4000-8000-000000000099';
    const search = node('search', 'semantic_search', { query: 'x' }, ['n']);
    const of = async (kind: string, params: Json) =>
      messages(
        (await draftOf(null, { workflowId: self }).take({
          nodes: [{ ...start, next: ['search'] }, search, node('n', kind, params)],
        }))!,
      ).join('\n');
    expect(await of('template', { template: '{{_output.search.items[0].text}} {{_output.search.count}}' })).toBe('');
    expect(await of('template', { template: '{{_output.search.items[0].colour}}' })).toContain('It has: document_uid');
    expect(await of('sort', { items: { $ref: '_output.search.count' } })).toContain('Of that type search has: items');
    expect(await of('template', { template: '{{_item.name}}' })).toContain('only in the params of a batch');
    expect(
      await of('loop', {
        items: { $ref: '_output.search.items' },
        body: { nodes: [{ id: 'a', kind: 'template', params: { template: '{{_item.text}}' } }] },
      }),
    ).toBe('');
    expect(
      await of('loop', {
        items: { $ref: '_output.search.items' },
        body: { nodes: [{ id: 'a', kind: 'template', params: { template: '{{_item.body}}' } }] },
      }),
    ).toContain('In its body');
    expect(await of('sub_workflow', { workflow_id: self })).toContain('would never end');
  });

  inAll('take any answer at all', async () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const keys = [
      'nodes',
      'operations',
      'op',
      'id',
      'kind',
      'params',
      'next',
      'edges',
      'set',
      'path',
      'value',
      'entry',
      'type',
      'body',
      'after',
      '$ref',
      'name',
      'message',
      'questions',
    ];
    const words = [
      'add_node',
      'update_node',
      'connect',
      'mail',
      'loop',
      'condition',
      'params.cases[0].next',
      '{{_output.mail.x}}',
      '__proto__',
      'if_true',
      '',
      '_secret.x',
      'remove_node',
      'rename',
    ];
    const value = (depth: number): unknown => {
      switch (random(depth > 5 ? 4 : 7)) {
        case 0:
          return words[random(words.length)];
        case 1:
          return random(9) - 3;
        case 2:
          return null;
        case 3:
          return random(2) === 0;
        case 4:
          return Array.from({ length: random(4) }, () => value(depth + 1));
        default:
          return Object.fromEntries(
            Array.from({ length: random(6) }, () => [keys[random(keys.length)], value(depth + 1)]),
          );
      }
    };
    for (let round = 0; round < 1_500; round += 1) {
      const draft = draftOf([null, report, intake, drawn][random(4)]!);
      const answer =
        random(2) === 0
          ? { operations: [value(1), value(1), value(1)] }
          : { nodes: [value(1), value(1)], edges: value(1), entry: value(2) };
      const checked = await draft.take(answer);
      if (checked) JSON.stringify(checked.spec);
    }
  });
});

describe('layout and names', () => {
  it('give each new node a place of its own, and a name that people read', async () => {
    const many = Array.from({ length: 12 }, (_, at) =>
      node(`n${at}`, 'template', { template: 'x' }, at < 10 ? [`n${at + 1}`, `n${at + 2}`] : []),
    );
    const { spec } = await build(
      { ...start, next: ['n0', 'n1', 'n5'] },
      ...many.map((one) => ({ ...one, name: one.id })),
    );
    const places = nodesOf(spec).map(({ position }) => position as { x: number; y: number });
    for (const [at, one] of places.entries())
      for (const other of places.slice(at + 1))
        expect(Math.abs(one.x - other.x) >= 240 || Math.abs(one.y - other.y) >= 100).toBe(true);
    const names = nodesOf(spec).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain('n3');
  });

  it.each([
    ['Every Tuesday send me the numbers', 'schedule_trigger'],
    ['täglich um 7 Uhr', 'schedule_trigger'],
    ['كل يوم أحد أرسل التقرير', 'schedule_trigger'],
    ['When an order comes in, tell the CRM', 'webhook_trigger'],
    ['Wenn eine Bestellung eingeht, buche sie', 'webhook_trigger'],
    ['Summarise the daily report that I name', 'schedule_trigger'],
    ['Translate what I type', 'manual_trigger'],
  ])('%s: %s', (request, kind) => expect(triggerMeant(request)).toBe(kind));
});
