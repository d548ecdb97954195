import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { refTo } from '../shape.js';
import { part, record } from './api-call.js';
import { fileId, google, READ, REST, SECRET } from './google-call.js';

function sheetOf(node: NodeMapping, parameter: unknown): string {
  const cached = record(parameter).cachedResultName;
  const name = typeof cached === 'string' && cached !== '' ? cached : part(node, parameter, 'sheet name');
  return name.includes('{{') ? name : encodeURIComponent(name);
}

/** The cells to write by column; null where the fields of the item itself are written. */
function cellsOf(node: NodeMapping): Record<string, unknown> | null {
  const { columns, fieldsUi, dataMode } = node.parameters;
  const { mappingMode, value, schema } = record(columns);
  const old = record(fieldsUi).values ?? record(fieldsUi).fieldValues;
  if (Array.isArray(old))
    return Object.fromEntries(
      old.map((one) => [String(record(one).column ?? record(one).fieldId), record(one).fieldValue]),
    );
  if (mappingMode === 'autoMapInputData' || dataMode === 'autoMapInputData' || value === null || value === undefined)
    return null;
  const given = record(value);
  const order = Array.isArray(schema) ? schema.map((one) => String(record(one).id)).filter((id) => id in given) : [];
  const names = [...new Set([...order, ...Object.keys(given)])];
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

export const googleSheets: Mapper = (node) => {
  const { resource = 'sheet', operation = 'read', documentId, sheetId, sheetName, title } = node.parameters;
  const root = 'https://sheets.googleapis.com/v4/spreadsheets';
  if (resource === 'spreadsheet')
    return operation === 'read' || operation === 'create'
      ? google(node, 'Google Sheets', () => ({
          method: 'POST',
          url: root,
          body: { properties: { title: node.text(title) } },
        }))
      : null;
  const base = () => `${root}/${fileId(node, documentId ?? sheetId, 'document id')}/values/${sheetOf(node, sheetName)}`;
  switch (operation) {
    case 'read':
    case 'lookup':
      return readSheet(node, base());
    case 'append':
      return google(node, 'Google Sheets', () => {
        const cells = cellsOf(node);
        node.note('Values are written in the order in which the export has the columns.');
        const row = cells
          ? Object.values(cells).map((cell) => node.value(cell))
          : node.value('={{ Object.values($json) }}');
        return {
          method: 'POST',
          url: `${base()}:append`,
          query: { valueInputOption: 'USER_ENTERED' },
          body: { values: [row] },
        };
      });
    case 'update':
    case 'appendOrUpdate':
      return writeRow(node, base(), operation === 'update');
    case 'clear':
      return google(node, 'Google Sheets', () => ({ method: 'POST', url: `${base()}:clear`, body: {} }));
    default:
      return null;
  }
};

function readSheet(node: NodeMapping, url: string): MappedOutputs | null {
  if (!node.has('http_request') || !node.has('code')) return null;
  const filters = record(node.parameters.filtersUI).values;
  const wanted = (Array.isArray(filters) ? filters.map(record) : []).map(({ lookupColumn, lookupValue }) => {
    return { column: node.value(lookupColumn), value: node.value(lookupValue) };
  });
  node.note(`It calls the HTTP interface of Google Sheets. Add its access token as the secret “${SECRET}”. ${REST}`);
  const rows = node.add('http_request', { ...READ, url }, 'rows');
  const code = `const [head = [], ...rows] = params.rows ?? [];
const found = rows.map((row, index) => ({ row_number: index + 2, ...Object.fromEntries(head.map((name, column) => [name, row[column] ?? ''])) }));
return found.filter((row) => params.wanted.every(({ column, value }) => String(row[column] ?? '') === String(value ?? '')));`;
  const { id } = node.add('code', { code, params: { rows: refTo(`_output.${rows.id}.body.values`), wanted } });
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
}

/** Looks for the row with the same value in the matching column, and writes its cells. */
function writeRow(node: NodeMapping, url: string, isUpdate: boolean): MappedOutputs | null {
  if (!node.has('http_request') || !node.has('code')) return null;
  const { columns, columnToMatchOn, valueToMatchOn } = node.parameters;
  const matching = record(columns).matchingColumns;
  const column = Array.isArray(matching)
    ? String(matching[0] ?? '')
    : typeof columnToMatchOn === 'string'
      ? columnToMatchOn
      : '';
  const cells = cellsOf(node);
  const values = cells
    ? Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, node.value(cell)]))
    : node.value('={{ $json }}');
  const wanted = valueToMatchOn === undefined ? null : node.value(valueToMatchOn);
  if (node.input.type !== 'single') node.note('It writes one row, for the first item; n8n writes one for each.');
  node.note(`It calls the HTTP interface of Google Sheets. Add its access token as the secret “${SECRET}”. ${REST}`);
  const rows = node.add('http_request', { ...READ, url }, 'rows');
  const code = `const [head = [], ...rows] = params.rows ?? [];
const { cells, column, mustExist } = params;
const wanted = params.wanted ?? cells[column];
const place = head.indexOf(column);
const found = column === 'row_number' ? Number(wanted) - 2 : rows.findIndex((row) => String(row[place] ?? '') === String(wanted ?? ''));
if (found < 0 && mustExist) throw new Error('No row has ' + wanted + ' in ' + column + '.');
const row = found < 0 ? rows.length : found;
return { number: row + 2, values: [head.map((name, at) => (name in cells ? cells[name] : (rows[row]?.[at] ?? '')))] };`;
  const params = { rows: refTo(`_output.${rows.id}.body.values`), cells: values, column, wanted, mustExist: isUpdate };
  const row = node.add('code', { code, params }, 'row');
  const range = `!A{{_output.${row.id}.result.number}}`;
  const { id } = node.add('http_request', {
    method: 'PUT',
    url: `${url}${range}`,
    query: { valueInputOption: 'USER_ENTERED' },
    auth: 'bearer',
    token: `{{_secret.${SECRET}}}`,
    body_kind: 'json',
    body: { values: refTo(`_output.${row.id}.result.values`) },
  });
  return { shapes: [{ type: 'either', ref: `_output.${id}.body` }] };
}
