import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { importN8n, parseDefinition, ToolCatalogue } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import { cpuStopwatch } from '../support/timing.js';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(resolve(__dirname, `../fixtures/n8n/${name}.json`), 'utf8'));
const node = (name: string, type: string, parameters: object = {}, extra: object = {}) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...extra,
});
const to = (...names: string[]) => names.map((name) => ({ node: name, type: 'main', index: 0 }));
/** One after the other. */
const chain = (...nodes: { name: string }[]) => ({
  nodes,
  connections: Object.fromEntries(nodes.slice(1).map(({ name }, index) => [nodes[index]!.name, { main: [to(name)] }])),
});
const start = node('Start', 'manualTrigger');
const webhook = node('Hook', 'webhook');

const namesOf = (entries: { name: string }[]) => entries.map(({ name }) => name);

function imported(json: unknown, catalogue: ToolCatalogue = toolCatalogue) {
  const result = importN8n(json, 'json', catalogue);
  expect(parseDefinition(result.jsonSpec, catalogue).errors).toEqual([]);
  const byId = new Map(result.jsonSpec.nodes.map((one) => [one.id, one]));
  const { mapped, approximated, unmapped } = result.report;
  const notes = Object.fromEntries([...approximated, ...unmapped].map((entry) => [entry.name, entry.notes]));
  return {
    ...result,
    byId,
    notes,
    sorted: { mapped: namesOf(mapped), approximated: namesOf(approximated), unmapped: namesOf(unmapped) },
  };
}

describe('the import of n8n workflows', () => {
  it('maps a webhook with fields, a branch, a request with an error branch, and an answer', () => {
    const { byId, sorted, notes, jsonSpec, vueflowJson } = imported(read('orders'));
    expect(jsonSpec).toMatchObject({ name: 'Order intake', entry: ['order_webhook'] });
    expect(byId.get('order_webhook')).toMatchObject({
      kind: 'webhook_trigger',
      name: 'Order webhook',
      params: { sample: { order: { id: 'A-7' } } },
      n8n: { type: 'n8n-nodes-base.webhook' },
    });
    expect(byId.get('edit_fields')).toMatchObject({
      kind: 'set',
      params: {
        fields: {
          orderId: { $ref: '_output.edit_fields__values.result.v0' },
          customer: {
            name: { $ref: '_output.edit_fields__values.result.v1' },
            greeting: 'Dear {{_output.order_webhook.payload.customer.full name}},',
          },
          total: { $ref: '_output.edit_fields__values.result.v2' },
          currency: 'EUR',
        },
      },
    });
    expect(byId.get('big_order')).toMatchObject({
      kind: 'condition',
      params: { operator: 'is_true', if_true: ['book_in_erp'], if_false: ['small_order'] },
    });
    expect(byId.get('book_in_erp')).toMatchObject({
      kind: 'http_request',
      params: {
        method: 'POST',
        url: 'https://erp.example/orders/{{_output.edit_fields.orderId}}',
        query: { source: 'web' },
        headers: { 'X-Total': { $ref: '_output.edit_fields.total' } },
        body_kind: 'json',
        body: { customer: { $ref: '_output.edit_fields.customer.name' }, total: { $ref: '_output.edit_fields.total' } },
        timeout_seconds: 10,
      },
      retry: { max_attempts: 4, backoff_seconds: 2 },
      on_error: 'branch',
      error_next: ['tell_the_team'],
    });
    expect(byId.get('tell_the_team')).toMatchObject({
      kind: 'http_request',
      // What reached the node that failed, which has no output.
      params: {
        url: 'https://slack.com/api/chat.postMessage',
        token: '{{_secret.slack_token}}',
        body: { channel: 'C012345', text: 'Order {{_output.edit_fields.orderId}} failed' },
      },
      n8n: {
        type: 'n8n-nodes-base.slack',
        parameters: { channelId: { value: 'C012345' }, text: "=Order {{ $('Edit Fields').item.json.orderId }} failed" },
        credentials: { slackApi: { name: 'Team Slack' } },
      },
    });
    expect(byId.get('respond__input')).toMatchObject({
      kind: 'merge',
      params: { mode: 'first', values: [{ $ref: '_output.book_in_erp.body' }, { $ref: '_output.edit_fields' }] },
    });
    expect(byId.get('respond')).toMatchObject({
      kind: 'respond',
      params: { status: 200, body: { $ref: '_output.respond__values.result.v0' } },
    });
    expect(sorted).toEqual({
      mapped: ['Edit Fields', 'Big order?', 'Small order', 'Sticky Note'],
      approximated: ['Order webhook', 'Book in ERP', 'Tell the team', 'Respond'],
      unmapped: [],
    });
    expect(notes['Book in ERP']).toEqual([expect.stringContaining('ERP key')]);
    expect(vueflowJson).toMatchObject({
      nodes: expect.arrayContaining([{ id: 'order_webhook', position: { x: 0, y: 0 } }]),
      notes: [{ position: { x: -40, y: -220 }, text: expect.stringContaining('Large ones') }],
    });
  });

  it('reads schedules, and keeps what served an agent with it', () => {
    expect(imported(read('lists')).report.schedules).toEqual(['30 8 * * 1', '0 12 * * 5']);
    const { byId, sorted } = imported(read('assistant'));
    expect(byId.get('ai_agent')).toMatchObject({
      kind: 'language_model',
      params: { prompt: 'Answer kindly: {{_output.when_chat_message_received.payload.chatInput}}' },
      n8n: { attached: [{ name: 'OpenAI Chat Model' }, { name: 'Window Buffer Memory' }, { name: 'Order lookup' }] },
    });
    expect(sorted.approximated).toEqual(expect.arrayContaining(['Log to sheet', 'OpenAI Chat Model']));
    // It has no memory, and is given no tool that reaches out unasked.
    expect(sorted.unmapped).toEqual(['Window Buffer Memory', 'Order lookup']);
  });

  it('leads a loop out after the end of its body', () => {
    const { byId } = imported(read('batches'));
    expect(byId.get('loop_over_items')!.next).toEqual(['square']);
    expect(byId.get('wait')!.next).toEqual(['total']);
    const circle = imported({
      nodes: [start, node('A', 'noOp'), node('B', 'noOp')],
      connections: { Start: { main: [to('A')] }, A: { main: [to('B')] }, B: { main: [to('A')] } },
    });
    expect(circle.notes.B).toEqual([expect.stringContaining('led back')]);
  });

  it.each([
    ['={{ $json.body.a.b }}', { $ref: '_output.hook.payload.a.b' }],
    ['={{$json["body"]["a b"][0]}}', { $ref: '_output.hook.payload.a b[0]' }],
    ["={{ $json?.body?.['a'] }}", { $ref: '_output.hook.payload.a' }],
    ['={{ $node["Hook"].json.body.a }}', { $ref: '_output.hook.payload.a' }],
    ['={{ $node.Hook.json["body"].a }}', { $ref: '_output.hook.payload.a' }],
    ["={{ $('Hook').item.json.body.a }}", { $ref: '_output.hook.payload.a' }],
    ['={{ $("Hook").first().json.body.a }}', { $ref: '_output.hook.payload.a' }],
    ["={{ $items('Hook')[0].json.body.a }}", { $ref: '_output.hook.payload.a' }],
    ['={{ $input.item.json.body.a }}', { $ref: '_output.hook.payload.a' }],
    ['={{ $json.body }}', { $ref: '_output.hook.payload' }],
    ['=a {{ $json.body.a }} b {{ $json.body.b }}', 'a {{_output.hook.payload.a}} b {{_output.hook.payload.b}}'],
    ['plain {{ $json.a }}', 'plain {{ $json.a }}'],
    ['=no braces', 'no braces'],
    ['={{ $json.headers.host }}', null],
    ["={{ $('Nobody').item.json.a }}", null],
    ['={{ $json.body.a.length }}', { $ref: '_output.fields__values.result.v0' }],
    ['={{ $json.body.a.trim() }}', { $ref: '_output.fields__values.result.v0' }],
    ['={{ { a: { b: $json.body.a } } }}', { $ref: '_output.fields__values.result.v0' }],
    ['={{ $json.body["a.b"] }}', { $ref: '_output.fields__values.result.v0' }],
    ['=is {{ $json.body.a ? "}}" : 1 }}!', 'is {{_output.fields__values.result.v0}}!'],
  ])('reads %s', (value, expected) => {
    // Without a type, for which a script would make it one.
    const assignments = { assignments: [{ name: 'x', value }] };
    const { byId } = imported(chain(webhook, node('Fields', 'set', { assignments }, { typeVersion: 3.4 })));
    expect(byId.get('fields')!.params).toEqual({ fields: { x: expected } });
  });

  it('makes a batch of what n8n does for each item', () => {
    const code = node('Rows', 'code', { jsCode: 'return [{ json: { id: 1 } }];' });
    const call = (url: string) => node('Call', 'httpRequest', { url }, { typeVersion: 4.2 });
    const simple = imported(
      chain(
        start,
        code,
        call('=https://a.example/{{ $json.id }}'),
        node('Sort', 'sort', { sortFieldsUi: { sortField: [{ fieldName: 'x' }] } }),
      ),
    );
    expect(simple.byId.get('call')).toMatchObject({
      kind: 'batch',
      params: {
        items: { $ref: '_output.rows.result' },
        kind: 'http_request',
        params: { method: 'GET', url: 'https://a.example/{{_item.id}}' },
      },
    });
    expect(simple.byId.get('sort')!.params).toMatchObject({ items: { $ref: '_output.call__answers.result' } });
    expect(simple.sorted.approximated).toEqual([]);
    const computed = imported(chain(start, code, call('=https://a.example/{{ $json.id + 1 }}/{{ $json.id }}')));
    expect(computed.byId.get('call')!.params).toMatchObject({
      items: { $ref: '_output.call__values.result' },
      params: { url: 'https://a.example/{{_item.v0}}/{{_item.item.id}}' },
    });
  });

  it('does without the kinds that a catalogue does not have', () => {
    const bare = new ToolCatalogue(
      toolCatalogue
        .list()
        .filter(
          ({ kind }) =>
            ![
              'code',
              'http_request',
              'batch',
              'limit',
              'split',
              'summarise',
              'no_op',
              'schedule_trigger',
              'join_lists',
              'send_email',
            ].includes(kind),
        ),
    );
    for (const name of ['orders', 'lists', 'legacy', 'batches', 'assistant']) {
      const { report, jsonSpec } = imported(read(name), bare);
      expect(report.unmapped.length).toBeGreaterThan(0);
      expect(JSON.stringify(jsonSpec)).not.toContain('"kind":"code"');
    }
    const assignments = { assignments: [{ name: 'x', value: '={{ $json.body.a + 1 }}', type: 'number' }] };
    const { byId, notes } = imported(chain(webhook, node('Fields', 'set', { assignments })), bare);
    expect(byId.get('fields')!.params).toEqual({ fields: { x: '={{ $json.body.a + 1 }}' } });
    expect(notes.Fields).toEqual([expect.stringContaining('kept as a text')]);
  });

  it('loses nothing of what it cannot map', () => {
    const odd = node(
      'Odd',
      'fileMaker',
      { deep: { secret: '={{ $json.x }}' } },
      { notes: 'n', credentials: { a: { name: 'b' } } },
    );
    const broken = node('Broken', 'code', { jsCode: 'return {{{;' });
    const python = node('Python', 'code', { language: 'python', pythonCode: 'return items' });
    const { byId, sorted, notes } = imported(chain(start, odd, broken, python));
    expect(sorted.unmapped).toEqual(['Odd', 'Broken', 'Python']);
    expect(byId.get('odd')!.n8n).toMatchObject({ parameters: odd.parameters, credentials: { a: { name: 'b' } } });
    expect(byId.get('broken')).toMatchObject({
      kind: 'stop_with_error',
      next: ['python'],
      n8n: { parameters: broken.parameters },
    });
    expect(notes.Broken).toEqual([expect.stringContaining('could not be mapped')]);
  });

  it.each([
    [null],
    [[]],
    ['text'],
    [{}],
    [{ nodes: {} }],
    [{ nodes: [7] }],
    [{ nodes: [{ type: 'x' }] }],
    [{ nodes: [start, start] }],
    [{ nodes: [start], connections: { Start: { main: 'x' } } }],
    [{ nodes: [start], connections: { Start: { main: [to(...Array.from({ length: 5_001 }, () => 'Start'))] } } }],
    [{ nodes: Array.from({ length: 401 }, (_, index) => node(`n${index}`, 'noOp')) }],
  ])('refuses %j', (json) => {
    expect(() => importN8n(json, 'json', toolCatalogue)).toThrow(
      expect.objectContaining({ fields: { json: [expect.any(String)] } }),
    );
  });

  it('survives strange parameters, names and connections', () => {
    const types = [
      'set',
      'if',
      'switch',
      'filter',
      'merge',
      'code',
      'httpRequest',
      'sort',
      'limit',
      'splitOut',
      'aggregate',
      'summarize',
      'itemLists',
      'wait',
      'dateTime',
      'emailSend',
      'webhook',
      'scheduleTrigger',
      'stopAndError',
      'respondToWebhook',
      'removeDuplicates',
      'splitInBatches',
      'xml',
      'markdown',
    ];
    const strange = [
      null,
      [],
      7,
      '={{',
      '={{ }}',
      '={{ ` }}',
      { a: null },
      [{ b: [null] }],
      { parameters: [null, 1] },
      { conditions: [{}] },
      { values: [{}] },
      '__proto__',
    ];
    const keys = [
      'assignments',
      'conditions',
      'rules',
      'values',
      'jsCode',
      'url',
      'sortFieldsUi',
      'fieldsToAggregate',
      'fieldToSplitOut',
      'bodyParameters',
      'jsonBody',
      'rule',
      'amount',
      'text',
      'toEmail',
      'options',
      'mode',
      'fieldsToSummarize',
      'queryParameters',
      'errorMessage',
      'responseBody',
    ];
    for (const value of strange) {
      const parameters = { ...Object.fromEntries(keys.map((key) => [key, value])), sendBody: true, sendQuery: true };
      imported(
        chain(start, ...types.map((type, index) => node(`__proto__ ${index} {{x}} [${type}]`, type, parameters))),
      );
    }
    const names = ['__proto__', 'constructor', 'ü', 'ÜÜ', '日本', '日本語', ' ', 'a'.repeat(400)];
    const { jsonSpec } = imported({
      nodes: names.map((name) => node(name, 'noOp')),
      connections: Object.fromEntries(names.map((name) => [name, { main: [null, to('nobody', ...names)] }])),
    });
    expect(new Set(jsonSpec.nodes.map(({ id }) => id)).size).toBe(names.length);
  });

  it('takes no name that every object has for one that it knows', () => {
    const name = 'constructor';
    const { jsonSpec, sorted } = imported(
      chain(
        start,
        node('Wait', 'wait', { amount: 5, unit: name }),
        node('Shift', 'dateTime', { operation: 'addToDate', magnitude: '2026-01-01', duration: 1, timeUnit: name }),
        node('Sum up', 'summarize', { fieldsToSummarize: { values: [{ aggregation: name, field: 'n' }] } }),
      ),
    );
    expect(sorted.unmapped).toEqual(['Shift']);
    expect(jsonSpec.nodes.map(({ params }) => params)).toEqual(
      expect.arrayContaining([
        { seconds: 5 },
        expect.objectContaining({ operations: [{ operation: 'count', field: 'n', as: 'constructor_n' }] }),
      ]),
    );
  });

  it('answers whatever stands in the parameters', () => {
    let seed = 20_261_121;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return seed % below;
    };
    const words = [
      'rules',
      'values',
      'conditions',
      'assignments',
      'interval',
      'parameters',
      'options',
      'field',
      'name',
      'value',
      'leftValue',
      'operator',
      'operation',
      'mode',
      'messages',
      'sortField',
      'fieldsToSplitBy',
      'text',
      'language',
    ];
    const leaves = [
      null,
      1,
      true,
      '',
      'append',
      'rules',
      '={{ $json.a }}',
      '={{ $json.a + $("Start").all().length }}',
      "=x {{ $node['Start'].json }}",
    ];
    const anything = (depth: number): unknown => {
      if (depth === 0 || random(4) === 0) return leaves[random(leaves.length)];
      if (random(3) === 0) return Array.from({ length: random(3) }, () => anything(depth - 1));
      return Object.fromEntries(
        Array.from({ length: random(4) }, () => [words[random(words.length)]!, anything(depth - 1)]),
      );
    };
    const types = Object.keys({
      set: 0,
      if: 0,
      switch: 0,
      filter: 0,
      merge: 0,
      httpRequest: 0,
      sort: 0,
      splitOut: 0,
      aggregate: 0,
      summarize: 0,
      itemLists: 0,
      emailSend: 0,
      scheduleTrigger: 0,
      openAi: 0,
      agent: 0,
      wait: 0,
      code: 0,
      limit: 0,
      dateTime: 0,
    });
    for (let round = 0; round < 40; round += 1) {
      const nodes = types.map((type) => {
        const parameters = Object.fromEntries(
          [...words, 'fieldsToSummarize', 'sortFieldsUi', 'rule', 'jsonBody', 'sendBody'].map((word) => [
            word,
            anything(4),
          ]),
        );
        return node(type, type, parameters, { typeVersion: 1 + random(4), disabled: random(9) === 0 });
      });
      imported(chain(start, ...nodes));
    }
  });

  it('cuts long names, but no character of them in two', () => {
    const { jsonSpec } = imported(chain(start, node(`x${'😀'.repeat(60)}`, 'noOp')));
    expect(jsonSpec.nodes.map(({ name }) => name)).toContain(`x${'😀'.repeat(49)}`);
  });

  it('reads the braces of hostile texts in linear time', () => {
    const took = cpuStopwatch();
    for (const text of [
      '{{'.repeat(200_000),
      `={{ ${'{'.repeat(200_000)}`,
      `={{ ${'"'.repeat(200_001)} }}`,
      `={{ $json${'.a'.repeat(100_000)} }}`,
      '{{ { }}'.repeat(100_000),
      "{{ ' }}".repeat(100_001),
      '{{ $(" }}'.repeat(50_000),
    ])
      imported(
        chain(start, node('Fields', 'set', { assignments: { assignments: [{ name: 'x', value: `=${text}` }] } })),
      );
    const many = Array.from({ length: 100 }, (_, index) => node(`n${index}`, 'noOp'));
    const all = many.map(({ name }) => name);
    const dense = Object.fromEntries(all.map((name, index) => [name, { main: [to(...all.slice(index + 1))] }]));
    imported({ nodes: many, connections: dense });
    expect(took()).toBeLessThan(8_000);
  });
});
