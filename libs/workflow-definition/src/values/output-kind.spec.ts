import { outputKind } from './output-kind.js';

it.each([
  ['a text', 'x', { type: 'text', value: 'x', mimeType: 'text/plain' }],
  ['a template', { text: 'x' }, { type: 'text', value: 'x' }],
  ['an answer', { text: 'x', object: null, model: 'm', usage: {} }, { type: 'text', value: 'x' }],
  ['an answer of a shape', { text: '{}', object: {}, model: 'm' }, { type: 'json' }],
  ['text among other things', { text: 'x', sources: [] }, { type: 'json' }],
  [
    'a file',
    { media_path: '/media/written/1/a.csv', filename: 'a.csv', mime_type: 'text/csv', size_bytes: 3 },
    { type: 'file', mediaPath: '/media/written/1/a.csv', title: 'a.csv', mimeType: 'text/csv', sizeBytes: 3 },
  ],
  ['a path of elsewhere', { media_path: 'https://example.com/' }, { type: 'json', mediaPath: null }],
  ['a chart', { mgid: 'm', title: 'Sales' }, { type: 'chart', mgid: 'm', title: 'Sales' }],
  ['an artifact', { artifact_id: 'a' }, { type: 'artifact', artifactId: 'a' }],
  ['a table', { table_id: 't' }, { type: 'table', tableId: 't' }],
  ['a list', [1], { type: 'json', value: [1] }],
  ['nothing', undefined, { type: 'json', value: null }],
])('knows %s', (_, output, expected) => {
  expect(outputKind(output)).toMatchObject(expected);
});
