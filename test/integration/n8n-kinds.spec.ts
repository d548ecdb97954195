import { importN8n, parseDefinition } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';

type Json = Record<string, unknown>;
const BASE = 'n8n-nodes-base.';
const LANGCHAIN = '@n8n/n8n-nodes-langchain.';
const node = (name: string, type: string, parameters: Json = {}, extra: Json = {}) => ({
  name,
  type: type.includes('.') ? type : `${BASE}${type}`,
  typeVersion: 2,
  position: [0, 0],
  parameters,
  ...extra,
});
const to = (...names: string[]) => names.map((name) => ({ node: name, type: 'main', index: 0 }));
const hook = node('Hook', 'webhook');

/** One node behind a webhook, with those that serve it. */
function one(type: string, parameters: Json = {}, served: ReturnType<typeof node>[] = []) {
  const nodes = [hook, node('It', type, parameters), ...served];
  const serving = served.map(({ name }) => [name, { ai_tool: [[{ node: 'It', type: 'ai_tool', index: 0 }]] }]);
  const json = { nodes, connections: { Hook: { main: [to('It')] }, ...Object.fromEntries(serving) } };
  const { jsonSpec, report } = importN8n(json, 'json', toolCatalogue);
  expect(parseDefinition(jsonSpec, toolCatalogue).errors).toEqual([]);
  const entry = (name: string) => {
    for (const place of ['mapped', 'approximated', 'unmapped'] as const) {
      const found = report[place].find((each) => each.name === name);
      if (found) return { ...found, place };
    }
    throw new Error(name);
  };
  const it = entry('It');
  return { ...it, entry, params: jsonSpec.nodes.find(({ id }) => id === 'it')!.params, nodes: jsonSpec.nodes };
}

describe('kinds of n8n nodes', () => {
  it.each([
    ['html', { operation: 'generateHtmlTemplate', html: '<p>{{ $json.body.a }}</p>' }, 'template'],
    [
      'html',
      { operation: 'extractHtmlContent', extractionValues: { values: [{ key: 'a', cssSelector: 'h1' }] } },
      'parse_html',
    ],
    ['extractFromFile', { operation: 'pdf' }, 'pdf_text'],
    ['extractFromFile', { operation: 'xlsx' }, 'spreadsheet_read'],
    ['extractFromFile', { operation: 'fromJson' }, 'parse_json'],
    ['extractFromFile', { operation: 'text' }, 'read_file'],
    ['convertToFile', { operation: 'csv' }, 'file_writer'],
    ['convertToFile', { operation: 'toText', sourceProperty: 'a' }, 'file_writer'],
    ['readWriteFile', { operation: 'read', fileSelector: '/a.txt' }, 'read_file'],
    [
      `${LANGCHAIN}informationExtractor`,
      { text: 'x', attributes: { attributes: [{ name: 'city', type: 'string' }] } },
      'extract_fields',
    ],
    [
      `${LANGCHAIN}informationExtractor`,
      { text: 'x', schemaType: 'fromJson', jsonSchemaExample: '{"a": [1]}' },
      'extract_fields',
    ],
    [
      `${LANGCHAIN}textClassifier`,
      { inputText: 'x', categories: { categories: [{ category: 'a' }, { category: 'b' }] } },
      'classify',
    ],
    [`${LANGCHAIN}sentimentAnalysis`, { inputText: 'x' }, 'classify'],
    [`${LANGCHAIN}chainSummarization`, {}, 'summarise_text'],
    [`${LANGCHAIN}vectorStorePinecone`, { mode: 'load', prompt: 'x' }, 'semantic_search'],
    [`${LANGCHAIN}vectorStorePinecone`, { mode: 'insert' }, 'save_document'],
    [
      'executeWorkflow',
      { workflowId: { __rl: true, mode: 'list', value: 'x1', cachedResultName: 'Other' } },
      'sub_workflow',
    ],
    ['markdown', { mode: 'markdownToHtml', markdown: '# x' }, 'markdown_to_html'],
    ['markdown', { html: '<p>x</p>' }, 'parse_html'],
    [
      'form',
      {
        formFields: {
          values: [
            { fieldLabel: 'Your name' },
            { fieldLabel: 'Size', fieldType: 'dropdown', fieldOptions: { values: [{ option: 'S' }] } },
          ],
        },
      },
      'form',
    ],
    ['form', { operation: 'completion', completionTitle: 'Thanks' }, 'set'],
    ['wait', { resume: 'webhook' }, 'approval'],
    ['merge', { mode: 'append' }, 'merge'],
    ['rssFeedRead', { url: 'https://x.example/feed' }, 'code'],
    ['crypto', { action: 'hash', type: 'SHA256', value: 'x' }, 'crypto'],
    ['renameKeys', { keys: { key: [{ currentKey: 'a', newKey: 'b' }] } }, 'code'],
    ['dateTime', { operation: 'formatDate', date: '2026-01-01', format: 'yyyy' }, 'date'],
    ['gmail', { sendTo: 'a@x.example', subject: 's', message: 'm' }, 'send_email'],
    ['gmail', { operation: 'sendAndWait', message: 'm' }, 'approval'],
    ['telegramTrigger', {}, 'webhook_trigger'],
    ['someServiceTrigger', {}, 'webhook_trigger'],
    ['code', {}, 'code'],
    ['if', {}, 'condition'],
    ['switch', {}, 'condition'],
    ['switch', { mode: 'expression', output: '={{ 1 }}', numberOutputs: 2 }, 'code'],
  ])('maps %s %j', (type, parameters, kind) => {
    const { place, kind: became } = one(type, parameters);
    expect([place, became]).toEqual([expect.stringMatching(/^(?:mapped|approximated)$/), kind]);
  });

  it.each([
    [
      'googleSheets',
      {
        operation: 'append',
        documentId: { value: 'abc' },
        sheetName: { cachedResultName: 'A' },
        columns: { value: { x: '=1' } },
      },
      'https://sheets.googleapis.com/v4/spreadsheets/abc/values/A:append',
    ],
    [
      'googleSheets',
      {
        operation: 'update',
        documentId: { mode: 'url', value: 'https://docs.google.com/spreadsheets/d/abc/edit' },
        sheetName: { cachedResultName: 'A' },
        columns: { matchingColumns: ['x'], value: { x: '1' } },
      },
      'https://sheets.googleapis.com/v4/spreadsheets/abc/values/A!A{{_output.it__row.result.number}}',
    ],
    ['telegram', { chatId: '7', text: 'x' }, 'https://api.telegram.org/bot{{_secret.telegram_bot_token}}/sendMessage'],
    ['slack', { channelId: { value: 'C1' }, text: 'x' }, 'https://slack.com/api/chat.postMessage'],
    [
      'discord',
      { authentication: 'webhook', content: 'x' },
      'https://discord.com/api/webhooks/{{_secret.discord_webhook}}',
    ],
    [
      'notion',
      {
        resource: 'databasePage',
        databaseId: { value: 'd' },
        propertiesUi: { propertyValues: [{ key: 'N|title', title: 'x' }] },
      },
      'https://api.notion.com/v1/pages',
    ],
    [
      'airtable',
      { operation: 'create', base: { value: 'b' }, table: { value: 't' }, columns: { value: { a: 1 } } },
      'https://api.airtable.com/v0/b/t',
    ],
    [
      'googleCalendar',
      { calendar: { value: 'c' }, start: '2026-01-01', end: '2026-01-02' },
      'https://www.googleapis.com/calendar/v3/calendars/c/events',
    ],
    ['googleDrive', { operation: 'download', fileId: { value: 'f' } }, 'https://www.googleapis.com/drive/v3/files/f'],
    ['httpRequest', { url: '' }, 'https://address-missing.invalid/'],
    ['httpRequest', { url: 'x.example/a' }, 'https://x.example/a'],
  ])('calls the interface of %s', (type, parameters, url) => {
    const { place, params, notes } = one(type, parameters);
    expect([place, params.url]).toEqual(
      ['approximated', url].map((each, index) => (index === 0 && notes.length === 0 ? 'mapped' : each)),
    );
  });

  it.each(['image', 'audio', 'file', 'assistant', 'video', 'document', 'moderation'])(
    'makes no prompt of %s',
    (resource) => {
      for (const type of ['openAi', 'googleGemini', 'anthropic'])
        for (const operation of [undefined, 'analyze', 'generate', 'message']) {
          const found = one(`${LANGCHAIN}${type}`, {
            resource,
            ...(operation && { operation }),
            text: 'x',
            prompt: 'x',
          });
          expect([found.place, found.kind, found.notes[0]]).toEqual([
            'unmapped',
            'stop_with_error',
            expect.stringContaining(resource),
          ]);
        }
      expect(one(`${LANGCHAIN}openAi`, { resource: 'text', messages: { values: [{ content: 'x' }] } }).kind).toBe(
        'language_model',
      );
      expect(one(`${BASE}openAi`, { resource: 'image', prompt: 'x' }).place).toBe('unmapped');
    },
  );

  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
    ...args: string[]
  ) => (items: unknown, params: unknown) => Promise<unknown>;
  it.each([
    ['const items = $input.all();\nreturn items;', 'all', [{ a: 1 }, { a: 2 }]],
    ['let items = $input.all(); items = items.slice(1); return items;', 'all', [{ a: 2 }]],
    [
      'var items = $input.all(); return items.map((item) => ({ json: { b: item.json.a } }));',
      'all',
      [{ b: 1 }, { b: 2 }],
    ],
    ['const item = $input.first().json; return [{ json: { b: item.a } }];', 'all', [{ b: 1 }]],
    ['const item = $input.item; return { json: { b: item.json.a } };', 'each', [{ b: 1 }, { b: 2 }]],
    [
      'for (const item of $input.all()) { item.json.c = 3; }\nreturn $input.all();',
      'all',
      [
        { a: 1, c: 3 },
        { a: 2, c: 3 },
      ],
    ],
    [
      'for (item of items) { item.json.c = 3; } return items;',
      'all',
      [
        { a: 1, c: 3 },
        { a: 2, c: 3 },
      ],
    ],
    ['return items.map(i => ({ json: { b: i.json.a } }))', 'all', [{ b: 1 }, { b: 2 }]],
    [
      'const params = 1; const $json = 2; const console = 3; const __out = 4; return [{ json: { params } }];',
      'all',
      [{ params: 1 }],
    ],
    [
      'function run(items) { return items; }\nconst code = run($input.all());\nreturn code; // end',
      'all',
      [{ a: 1 }, { a: 2 }],
    ],
    ['const { a } = $json; return { a };', 'each', [{ a: 1 }, { a: 2 }]],
    ['return { json: { n: $input.all().length } };', 'all', [{ n: 2 }]],
  ])('takes the script %j', async (jsCode, mode, expected) => {
    const { place, nodes } = one('code', { jsCode, ...(mode === 'each' && { mode: 'runOnceForEachItem' }) });
    expect(place).toBe('mapped');
    const { code } = nodes.find(({ id }) => id === 'it')!.params as { code: string };
    const result = await new AsyncFunction('items', 'params', code)([{ a: 1 }, { a: 2 }], {});
    expect([result].flat()).toEqual(expected);
  });

  it.each<[Json, Json[], unknown]>([
    [{ fieldToSplitOut: 'tags' }, [{ tags: ['a', 'b'] }, { tags: [] }, { id: 3 }], [{ tags: 'a' }, { tags: 'b' }]],
    [{ fieldToSplitOut: 'o.lines' }, [{ o: { lines: [{ sku: 1 }, 2] } }], [{ sku: 1 }, { 'o.lines': 2 }]],
    [{ fieldToSplitOut: 'tags', options: { destinationFieldName: 't' } }, [{ tags: [{ a: 1 }] }], [{ t: { a: 1 } }]],
    [{ fieldToSplitOut: 'o' }, [{ o: { x: 1, y: 2 } }, { o: 'one' }], [{ o: 1 }, { o: 2 }, { o: 'one' }]],
    [
      { fieldToSplitOut: 'o.tags', include: 'allOtherFields' },
      [{ id: 1, o: { tags: ['a'], n: 2 } }],
      [{ id: 1, o: { n: 2 }, 'o.tags': 'a' }],
    ],
    [
      { fieldToSplitOut: 'a, b', include: 'selectedOtherFields', fieldsToInclude: 'id' },
      [{ id: 1, a: [1, 2], b: [{ x: 3 }] }],
      [
        { id: 1, a: 1, b: { x: 3 } },
        { id: 1, a: 2 },
      ],
    ],
  ])('splits out %j', async (parameters, items, expected) => {
    const { place, notes, nodes } = one('splitOut', parameters);
    expect([place, notes]).toEqual(['mapped', []]);
    const { code } = nodes.find(({ id }) => id === 'it')!.params as { code: string };
    expect(await new AsyncFunction('items', 'params', 'structuredClone', code)(items, {})).toEqual(expected);
  });

  it.each<[string, Json, boolean]>([
    ['filter', {}, true],
    ['sort', { sortFieldsUi: { sortField: [{ fieldName: 'id', order: 'descending' }] } }, true],
    ['limit', { maxItems: 1, keep: 'lastItems' }, true],
    ['limit', { maxItems: 1 }, false],
    ['set', { assignments: { assignments: [{ name: 'b', value: '={{ $json.id }}', type: 'string' }] } }, false],
  ])('says where the item of another node is no longer at the same place: %s %j', (type, parameters, isMoved) => {
    const value = "={{ $('List').item.json.id }}";
    const nodes = [
      hook,
      node('List', 'code', { jsCode: 'return [];' }),
      node('Between', type, parameters),
      node('It', 'set', { assignments: { assignments: [{ name: 'a', value, type: 'string' }] } }, { typeVersion: 3.4 }),
    ];
    const connections = Object.fromEntries(
      nodes.slice(1).map(({ name }, at) => [nodes[at]!.name, { main: [to(name)] }]),
    );
    const { report } = importN8n({ nodes, connections }, 'json', toolCatalogue);
    const notes = Object.values(report)
      .flat()
      .flatMap((each) => (typeof each === 'object' && each.name === 'It' ? each.notes : []));
    expect(notes).toEqual(isMoved ? [expect.stringContaining('“Between” changes which items there are')] : []);
  });

  it('says that Python is none of its languages, and what a script would miss', () => {
    const python = one('code', { language: 'python', pythonCode: 'return []' });
    expect([python.place, python.notes]).toEqual(['unmapped', [expect.stringContaining('python')]]);
    expect(one('code', { jsCode: "const fs = require('fs'); return [];" }).notes).toEqual([
      expect.stringContaining('require'),
    ]);
    const js =
      'const to = new URL($json.URL.trim()); await new Promise((done) => setTimeout(done, 9)); return [structuredClone(to)];';
    expect(one('code', { jsCode: js }).notes).toEqual(
      ['URL', 'setTimeout', 'structuredClone'].map((name) => expect.stringContaining(` ${name},`)),
    );
    expect(one('code', { jsCode: 'return [$json.URL.trim(), $json.process.id, $json.crypto(1)];' }).notes).toEqual([]);
  });

  it('says what becomes of nodes that serve others', () => {
    const served = [
      node('Model', `${LANGCHAIN}lmChatOpenAi`, { model: { value: 'gpt-x' } }),
      node('Parser', `${LANGCHAIN}outputParserStructured`, { jsonSchemaExample: '{"city": "Bern", "tags": ["a"]}' }),
      node('Calculator', `${LANGCHAIN}toolCalculator`),
      node('Request', 'httpRequestTool', { url: 'https://x.example' }),
      node('Memory', `${LANGCHAIN}memoryBufferWindow`),
    ];
    const agent = one(`${LANGCHAIN}agent`, { text: 'x', promptType: 'define' }, served);
    expect([agent.kind, agent.params.tools]).toEqual(['agent', ['expression']]);
    expect(served.map(({ name }) => agent.entry(name).place)).toEqual([
      'approximated',
      'approximated',
      'approximated',
      'unmapped',
      'unmapped',
    ]);
    expect(agent.entry('Model').notes).toEqual([expect.stringContaining('gpt-x')]);
    const chain = one(`${LANGCHAIN}chainLlm`, { text: 'x', promptType: 'define' }, served.slice(0, 2));
    expect(chain.params.output_schema).toMatchObject({ type: 'object', required: ['city', 'tags'] });
  });

  it('says of every approximation what is different', () => {
    const types = [
      'gmail',
      'slack',
      'telegram',
      'googleSheets',
      'notion',
      'airtable',
      'googleDrive',
      'rssFeedRead',
      'form',
      'executeWorkflow',
      'emailSend',
    ];
    for (const type of types) {
      const { place, notes } = one(type);
      if (place === 'approximated') expect([type, notes.length]).toEqual([type, expect.any(Number)]);
      if (place !== 'unmapped') expect(notes.join(' ')).toMatch(/\w{3,}/);
    }
  });
});

const loop = (names: string[]) =>
  Object.fromEntries(names.map((name, index) => [name, { main: [to(names[(index + 1) % names.length]!)] }]));
const deep = (levels: number): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
};

describe('hostile exports', () => {
  it.each([
    ['10,000 nodes', { nodes: Array.from({ length: 10_000 }, (_, index) => node(`n${index}`, 'noOp')) }],
    ['deep parameters', { nodes: [node('a', 'set', { deep: deep(5_000) })] }],
    ['connections that are none', { nodes: [hook], connections: { Hook: { main: 'x' } } }],
    ['a list', []],
    ['text', 'nodes'],
  ])('refuses %s with words', (_, json) => {
    expect(() => importN8n(json, 'json', toolCatalogue)).toThrow(
      expect.objectContaining({ fields: { json: [expect.stringMatching(/\w+ \w+/)] } }),
    );
  });

  it('takes circles, names of objects, and services that nobody knows', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'Hook'];
    const nodes = names.map((name) =>
      node(
        name,
        'set',
        JSON.parse(
          '{"__proto__": {"a": 1}, "constructor": "={{ $json.a }}", "values": {"string": [{"name": "__proto__", "value": "x"}]}}',
        ) as Json,
      ),
    );
    const connections = JSON.parse(
      JSON.stringify(loop(names.slice(1))).replace(
        '{',
        '{"__proto__":{"main":[[{"node":"constructor","type":"main","index":0}]]},',
      ),
    ) as Json;
    const serving = { ai_tool: [[{ node: 'Hook', type: 'ai_tool', index: 0 }]] };
    const json = { nodes: [...nodes, node('Odd', 'x.y.z')], connections: { ...connections, Odd: serving } };
    const { jsonSpec } = importN8n(json, 'json', toolCatalogue);
    expect(parseDefinition(jsonSpec, toolCatalogue).errors).toEqual([]);
    expect(({} as Json).a).toBeUndefined();
  });

  it('answers whatever stands in the parameters of the kinds that are new', () => {
    const odd: unknown[] = [
      null,
      true,
      -1,
      '',
      '={{',
      '={{ $json }}',
      [],
      [null],
      {},
      { values: 'x' },
      { values: [null, 7, {}] },
      { __rl: true, value: null },
      { value: ['x'] },
    ];
    const keys = [
      'operation',
      'resource',
      'documentId',
      'columns',
      'filtersUI',
      'chatId',
      'text',
      'formFields',
      'workflowId',
      'workflowInputs',
      'extractionValues',
      'categories',
      'attributes',
      'options',
      'propertiesUi',
      'output',
      'mode',
      'url',
      'sendTo',
      'toRecipients',
      'keys',
      'blockUi',
    ];
    const types = [
      'googleSheets',
      'gmail',
      'googleDrive',
      'googleCalendar',
      'telegram',
      'slack',
      'discord',
      'whatsApp',
      'notion',
      'airtable',
      'todoist',
      'facebookGraphApi',
      'graphql',
      'form',
      'executeWorkflow',
      'crypto',
      'renameKeys',
      'compareDatasets',
      'html',
      'convertToFile',
      'extractFromFile',
      'rssFeedRead',
      'switch',
      'code',
    ].map((type) => `${BASE}${type}`);
    const chains = [
      'agent',
      'openAi',
      'informationExtractor',
      'textClassifier',
      'sentimentAnalysis',
      'chainSummarization',
      'vectorStoreQdrant',
    ].map((type) => `${LANGCHAIN}${type}`);
    let seed = 7;
    const next = (count: number) => (seed = (seed * 48_271) % 2_147_483_647) % count;
    for (const type of [...types, ...chains])
      for (let round = 0; round < 6; round += 1) {
        const parameters = Object.fromEntries(
          Array.from({ length: 6 }, () => [keys[next(keys.length)], odd[next(odd.length)]]),
        );
        one(type, parameters as Json, [
          node('Parser', `${LANGCHAIN}outputParserStructured`, { jsonSchemaExample: odd[next(odd.length)] }),
        ]);
      }
  });

  it('answers webhooks as the node says', () => {
    const responseHeaders = {
      entries: [
        { name: 'Content-Type', value: 'application/xml' },
        { name: 'Set-Cookie', value: 'a=b' },
      ],
    };
    const text = { respondWith: 'text', responseBody: '<ok/>', options: { responseCode: 201, responseHeaders } };
    const answered = one('respondToWebhook', text);
    expect(answered.params).toEqual({ status: 201, body: '<ok/>', headers: { 'Content-Type': 'application/xml' } });
    expect(answered.notes.join()).toContain('Set-Cookie');
    expect(one('respondToWebhook', { respondWith: 'json', responseBody: '{"a":1}' }).params).toEqual({
      status: 200,
      body: '{"a":1}',
      content_type: 'application/json',
    });
    expect(one('respondToWebhook', { respondWith: 'redirect', redirectURL: 'https://a.example/' }).params).toEqual({
      status: 302,
      headers: { location: 'https://a.example/' },
    });
    expect(one('respondToWebhook', { respondWith: 'noData' }).params).toEqual({ status: 200 });
    expect(one('respondToWebhook', { respondWith: 'binary' }).place).toBe('unmapped');
  });
});
