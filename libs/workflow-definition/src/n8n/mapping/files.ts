import { cutText } from '@app/common';
import type { Mapper, NodeMapping } from '../node-mapping.js';
import { isObject } from '../json-object.js';
import { listValue, refTo, singleAt } from '../shape.js';
import { chosenIn, record } from './api-call.js';

/** The file that reaches a node: what other nodes hand on of files here. */
const FILE = "={{ $json.media_path ?? $json.path ?? $json.file ?? $json.fileName ?? '' }}";

function fileOf(node: NodeMapping): unknown {
  node.note('It takes the file whose path the node before hands on as media_path.');
  return node.value(FILE);
}

/** The trigger whose payload reaches a node as it came, that of a form or of a webhook; null for all else. */
function callerOf({ input }: NodeMapping): string | null {
  if (input.type !== 'single' || !isObject(input.item)) return null;
  const ref = '$ref' in input.item ? input.item.$ref : isObject(input.item.body) ? input.item.body.$ref : null;
  return typeof ref === 'string' ? (/^_output\.([^.]+)\.payload$/.exec(ref)?.[1] ?? null) : null;
}

/** n8n names the files of a form by its fields, with underscores, and those of a webhook by its option and a number. */
const PICK_UPLOAD = `const plain = (name) => String(name).toLowerCase().replace(/[^a-z0-9]/g, '');
const uploads = params.uploads ?? [];
const wanted = plain(params.field);
const place = Number(/[0-9]+$/.exec(params.field)?.[0] ?? 0);
const upload = uploads.find(({ field }) => plain(field) === wanted) ?? uploads[place];
if (!upload) return { path: params.path ?? '', name: '', content: '', format: 'text' };
return {
  path: '',
  name: 'uploads/' + String(upload.file_name || 'file').replace(/[^\\w. -]/g, '_'),
  content: upload.text ?? upload.base64 ?? '',
  format: upload.text === undefined ? 'base64' : 'text',
};`;

/**
 * The file behind a form or a webhook, which came with the call: it is written to the storage first, where the kinds
 * for files find it. Nothing is written where none came.
 */
function uploadOf(node: NodeMapping): unknown {
  const caller = callerOf(node);
  const { binaryPropertyName = 'data' } = node.parameters;
  const canWrite = ['code', 'condition', 'file_writer'].every((kind) => node.has(kind));
  if (caller === null || !canWrite) return fileOf(node);
  node.note(
    'A file that comes with the call, as a form with files (64 KB), is written to the file storage; without one it takes the file whose path is in the payload as media_path.',
  );
  const params = {
    uploads: refTo(`_output.${caller}.uploads`),
    field: String(binaryPropertyName),
    path: node.value(FILE),
  };
  const pick = node.add('code', { code: PICK_UPLOAD, params }, 'upload');
  const of = (field: string) => `_output.${pick.id}.result.${field}`;
  const gate = node.add('condition', { left: refTo(of('content')), operator: 'is_not_empty' }, 'came');
  const { id } = node.add(
    'file_writer',
    { path: `{{${of('name')}}}`, content: refTo(of('content')), format: refTo(of('format')) },
    'written',
  );
  gate.params.if_true = [id];
  return `{{_output.${id}.media_path}}{{${of('path')}}}`;
}

/** What reads the file runs whether or not one had to be written. */
function leadPastWriting(node: NodeMapping): void {
  const written = node.nodes.findIndex(({ id }) => id === `${node.id}__written`);
  if (written > 0) node.nodes[written - 1]!.next.push(node.nodes[written + 1]!.id);
}

function named(node: NodeMapping, name: unknown, extension: string): unknown {
  const value = node.text(name);
  const text = isObject(value) && '$ref' in value ? `{{${String(value.$ref)}}}` : String(value);
  if (text === '') return `${node.id}.${extension}`;
  return text.includes('.') || text.includes('{{') ? text : `${text}.${extension}`;
}

const EXTENSIONS = new Map(
  Object.entries({
    csv: 'csv',
    xlsx: 'xlsx',
    xls: 'xlsx',
    ods: 'xlsx',
    toJson: 'json',
    toText: 'txt',
    html: 'html',
    toBinary: 'bin',
    iCal: '',
  }),
);

const convertToFile: Mapper = (node) => {
  const { operation = 'csv', options, sourceProperty, binaryPropertyName } = node.parameters;
  const extension = EXTENSIONS.get(String(operation)) ?? '';
  if (extension === '' || !node.has('file_writer')) return null;
  if (operation === 'xls' || operation === 'ods') node.note('It becomes an XLSX file.');
  if (operation === 'html') node.note('It holds the items as JSON, not as a table.');
  const isWhole = !['toText', 'toBinary'].includes(String(operation));
  const property = String(sourceProperty ?? binaryPropertyName ?? 'data');
  const content = isWhole
    ? node.listInput()
    : node.text(
        `={{ $json${property
          .split('.')
          .map((key) => `[${JSON.stringify(key)}]`)
          .join('')} }}`,
      );
  node.note('It is written to the file storage, and handed on by its path (media_path).');
  const format = operation === 'toBinary' ? { format: 'base64' } : {};
  const { id } = node.add('file_writer', {
    path: named(node, record(options).fileName, extension),
    content,
    ...format,
  });
  return { shapes: [singleAt(`_output.${id}`)] };
};

const extractFromFile: Mapper = (node) => {
  const mapped = extracted(node);
  leadPastWriting(node);
  return mapped;
};

const extracted: Mapper = (node) => {
  const { operation = 'csv', options, destinationKey = 'data' } = node.parameters;
  const as = (value: unknown) => ({
    shapes: [{ type: 'single' as const, item: { [String(destinationKey) || 'data']: value } }],
  });
  switch (operation) {
    case 'csv':
    case 'xlsx':
    case 'xls':
    case 'ods': {
      if (!node.has('spreadsheet_read')) return null;
      const { sheetName, headerRow } = record(options);
      const { id } = node.add('spreadsheet_read', {
        file: uploadOf(node),
        ...(typeof sheetName === 'string' && sheetName !== '' && { sheet: node.text(sheetName) }),
        ...(headerRow === false && { has_header: false }),
      });
      return { shapes: [{ type: 'list', ref: `_output.${id}.items` }] };
    }
    case 'pdf': {
      if (!node.has('pdf_text')) return null;
      const { id } = node.add('pdf_text', { document: fileOf(node) });
      return {
        shapes: [
          { type: 'single', item: { text: refTo(`_output.${id}.text`), numpages: refTo(`_output.${id}.page_count`) } },
        ],
      };
    }
    case 'text':
    case 'html':
    case 'rtf':
    case 'xml':
    case 'ics':
      return node.has('read_file')
        ? as(refTo(`_output.${node.add('read_file', { file: uploadOf(node), encoding: 'text' }).id}.text`))
        : null;
    case 'binaryToPropery':
    case 'binaryToProperty':
      return node.has('read_file')
        ? as(refTo(`_output.${node.add('read_file', { file: uploadOf(node), encoding: 'base64' }).id}.base64`))
        : null;
    case 'fromJson': {
      if (!node.has('read_file') || !node.has('parse_json')) return null;
      const read = node.add('read_file', { file: uploadOf(node), encoding: 'text' }, 'file');
      const { id } = node.add('parse_json', { text: refTo(`_output.${read.id}.text`) });
      return as(refTo(`_output.${id}.value`));
    }
    default:
      return null;
  }
};

const readWriteFile: Mapper = (node) => {
  const { operation = 'read', fileSelector, fileName } = node.parameters;
  if (operation === 'read' && node.has('read_file')) {
    node.note('It reads from the file storage of the owner, not from a disk, and hands on text and path.');
    const file = node.text(chosenIn(fileSelector)) || `${node.id}.txt`;
    return { shapes: [singleAt(`_output.${node.add('read_file', { file }).id}`)] };
  }
  if (operation !== 'write' || !node.has('file_writer')) return null;
  node.note('It writes to the file storage of the owner, not to a disk.');
  const content = node.value('={{ $json.data ?? $json.text ?? JSON.stringify($json) }}');
  const { id } = node.add('file_writer', { path: named(node, fileName, 'txt'), content });
  return { shapes: [singleAt(`_output.${id}`)] };
};

const html: Mapper = (node) => {
  const {
    operation = 'generateHtmlTemplate',
    html: template,
    dataPropertyName = 'data',
    extractionValues,
    sourceData = 'json',
  } = node.parameters;
  if (operation === 'generateHtmlTemplate') {
    const { id } = node.add('template', { template: node.text(template) });
    return { shapes: [{ type: 'single', item: { html: refTo(`_output.${id}.text`) } }] };
  }
  if (operation === 'convertToHtmlTable' && node.has('code')) {
    const code = `const escape = (value) => String(typeof value === 'object' ? JSON.stringify(value) : (value ?? '')).replace(/[&<>]/g, (sign) => '&#' + sign.charCodeAt(0) + ';');
const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
const row = (tag, cells) => '<tr>' + cells.map((cell) => '<' + tag + '>' + escape(cell) + '</' + tag + '>').join('') + '</tr>';
return '<table>' + row('th', columns) + items.map((item) => row('td', columns.map((column) => item[column]))).join('') + '</table>';`;
    const { id } = node.add('code', { code, items: listValue(node.input) ?? node.listInput() });
    return { shapes: [{ type: 'single', item: { table: refTo(`_output.${id}.result`) } }] };
  }
  const values = record(extractionValues).values;
  const rules = Array.isArray(values) ? values.filter(isObject) : [];
  if (operation !== 'extractHtmlContent' || rules.length === 0 || sourceData === 'binary' || !node.has('parse_html'))
    return null;
  if (node.input.type !== 'single') node.note('It runs once, for the first item; n8n runs it for each.');
  const fields = rules.map(({ key, cssSelector, returnValue = 'text', attribute, returnArray }, index) => ({
    name: cutText(String(key || `value_${index + 1}`), 100),
    selector: String(cssSelector ?? '')
      .replace(/^=/, '')
      .slice(0, 500),
    ...(returnValue === 'html' && { take: 'html' }),
    ...(returnValue === 'attribute' && { take: 'attribute', attribute: String(attribute ?? 'href') }),
    ...(returnValue === 'value' && { take: 'attribute', attribute: 'value' }),
    ...(returnArray === true && { all: true }),
  }));
  const source = node.text(`={{ $json[${JSON.stringify(String(dataPropertyName))}] }}`);
  const { id } = node.add('parse_html', { html: source, fields });
  return { shapes: [singleAt(`_output.${id}.items[0]`)] };
};

const markdown: Mapper = (node) => {
  const { mode = 'htmlToMarkdown', markdown: text, html: source, destinationKey = 'data' } = node.parameters;
  const as = (value: unknown) => ({
    shapes: [{ type: 'single' as const, item: { [String(destinationKey) || 'data']: value } }],
  });
  if (mode === 'markdownToHtml') {
    if (!node.has('markdown_to_html')) return null;
    return as(refTo(`_output.${node.add('markdown_to_html', { text: node.text(text) }).id}.html`));
  }
  if (!node.has('parse_html')) return null;
  node.note('The page becomes plain text, without the marks of Markdown.');
  return as(refTo(`_output.${node.add('parse_html', { html: node.text(source) || '<p></p>' }).id}.text`));
};

const rssFeedRead: Mapper = (node) => {
  if (!node.has('http_request') || !node.has('parse_xml') || !node.has('code')) return null;
  const { url } = node.parameters;
  const address = node.text(url);
  if (address === '') node.note('The address is not in the export: fill it in.');
  if (node.input.type !== 'single') node.note('It runs once, for the first item; n8n runs it for each.');
  const page = node.add(
    'http_request',
    { method: 'GET', url: address || 'https://address-missing.invalid/', response: 'text' },
    'feed',
  );
  const read = node.add('parse_xml', { text: refTo(`_output.${page.id}.body`), lists: ['item', 'entry'] }, 'items');
  const code = `const { rss, feed, 'rdf:RDF': rdf } = params.feed ?? {};
const text = (value) => (value !== null && typeof value === 'object' ? (value['#text'] ?? value['@href'] ?? '') : (value ?? ''));
const entries = rss?.channel?.item ?? rdf?.item ?? feed?.entry ?? [];
return [entries].flat().map((entry) => {
  const links = [entry.link].flat();
  const date = text(entry.pubDate ?? entry.published ?? entry.updated ?? entry['dc:date']);
  return { ...entry, title: text(entry.title), link: text(links.find((link) => link?.['@rel'] === 'alternate') ?? links[0]), pubDate: date, isoDate: Number.isNaN(Date.parse(date)) ? null : new Date(date).toISOString(), content: text(entry['content:encoded'] ?? entry.content ?? entry.description ?? entry.summary), contentSnippet: text(entry.description ?? entry.summary), guid: text(entry.guid ?? entry.id) };
});`;
  const { id } = node.add('code', { code, params: { feed: refTo(`_output.${read.id}.value`) } });
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
};

export const files: Record<string, Mapper> = {
  convertToFile,
  extractFromFile,
  readWriteFile,
  html,
  htmlExtract: html,
  markdown,
  rssFeedRead,
};
