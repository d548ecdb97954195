import { fold } from '@app/common';
import type { KnownServer, KnownTableFile, KnownThings } from '@app/workflows';

/** About 6,000 tokens. */
const MAX_CHARACTERS = 24_000;
const MOST = {
  files: 12,
  tables: 6,
  columns: 40,
  documents: 30,
  folders: 40,
  servers: 10,
  tools: 25,
  secrets: 50,
  workflows: 20,
};
const MAX_NAME = 120;

/**
 * What the person has, for a prompt: names and shapes, those first of which the request speaks. Never contents of cells,
 * documents or secrets. Names are other people's words, too: whoever puts this into a prompt marks it as data.
 */
export function thingsText(things: KnownThings, request: string): string {
  const { tableFiles, documents, folders, servers, secrets, workflows } = things;
  const nearest = <T>(items: readonly T[], words: (item: T) => string, most: number) =>
    ranked(items, words, request).slice(0, most);
  const parts = [
    section(
      'Files of tables ("file_uids" takes the uid, SQL the names of tables and columns)',
      nearest(tableFiles, wordsOfTables, MOST.files).map(tableLine),
      tableFiles.length,
    ),
    section(
      'Documents (params take the uid)',
      nearest(documents, ({ filename, folder }) => `${filename} ${folder}`, MOST.documents).map(
        ({ uid, filename, folder }) => `- ${uid} ${quote(filename)}${folder === '' ? '' : ` in ${quote(folder)}`}`,
      ),
      documents.length,
    ),
    section(
      'Folders of documents',
      nearest(folders.filter(Boolean), (name) => name, MOST.folders).map((name) => `- ${quote(name)}`),
      folders.length,
    ),
    section(
      'Connected tool servers (for mcp_tool)',
      nearest(servers, wordsOfServer, MOST.servers).map((server) => serverLine(server, request)),
      servers.length,
    ),
    secrets === null
      ? ''
      : section(
          'Secrets of this workflow (their values are not known to you, nor to anybody)',
          secrets.slice(0, MOST.secrets).map((name) => `- ${name}`),
          secrets.length,
        ),
    section(
      'Other workflows (for sub_workflow)',
      nearest(workflows, ({ name }) => name, MOST.workflows).map(({ id, name }) => `- ${id} ${quote(name)}`),
      workflows.length,
    ),
  ];
  const text = parts.filter(Boolean).join('\n\n');
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, text.lastIndexOf('\n', MAX_CHARACTERS))}\n…`;
}

function section(title: string, lines: readonly string[], total: number): string {
  if (lines.length === 0) return `${title}: none.`;
  const more = total > lines.length ? [`- … and ${total - lines.length} more`] : [];
  return [`${title}:`, ...lines, ...more].join('\n');
}

function tableLine({ uid, filename, tables }: KnownTableFile): string {
  const shown = tables.slice(0, MOST.tables).map(({ name, rows, columns }) => {
    const some = columns.slice(0, MOST.columns).map((column) => `${column.name} ${column.type}`);
    return `  table ${name} (${rows} rows): ${some.join(', ')}${columns.length > some.length ? ', …' : ''}`;
  });
  return [`- ${uid} ${quote(filename)}`, ...shown].join('\n');
}

function serverLine({ slug, label, tools }: KnownServer, request: string): string {
  const shown = ranked(tools, ({ name, description }) => `${name} ${description}`, request)
    .slice(0, MOST.tools)
    .map(({ name, description, inputSchema }) => {
      const properties =
        typeof inputSchema.properties === 'object' && inputSchema.properties !== null
          ? Object.keys(inputSchema.properties)
          : [];
      const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
      const input = properties.slice(0, 12).map((key) => (required.includes(key) ? `${key}*` : key));
      return `  ${name}(${input.join(', ')}): ${line(description, 160)}`;
    });
  return [`- ${slug} ${quote(label)}`, ...shown].join('\n');
}

function wordsOfTables({ filename, tables }: KnownTableFile): string {
  return [filename, ...tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)])].join(
    ' ',
  );
}

function wordsOfServer({ slug, label, tools }: KnownServer): string {
  return [slug, label, ...tools.map(({ name }) => name)].join(' ');
}

/** Those with words of the request first; the others in their order. */
function ranked<T>(items: readonly T[], words: (item: T) => string, request: string): T[] {
  const asked = new Set(fold(request).match(/[\p{L}\p{N}]{3,}/gu));
  const score = (item: T) =>
    (fold(words(item)).match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter((word) => asked.has(word)).length;
  return items
    .map((item, at) => ({ item, at, score: score(item) }))
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .map(({ item }) => item);
}

function quote(name: string): string {
  return JSON.stringify(line(name, MAX_NAME));
}

function line(text: string, most: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > most ? `${flat.slice(0, most)}…` : flat;
}
