import { PassThrough, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { freeName, lazily } from '@app/auth';
import { PayloadTooLargeError } from '@app/common';
import { type Scalar, sheetText, tableOf } from '@app/workflow-definition';
import type { ExportedNode, RunExport } from '@app/workflows';
import { ZipFile } from 'yazl';
import writeXlsxFile from 'write-excel-file/node';

export interface ExportFile {
  content: Readable;
  mimeType: string;
}

/** A spreadsheet is made in memory; the other formats are written while they are read. */
const MAX_XLSX_BYTES = 32 * 1024 * 1024;
const MAX_XLSX_CELLS = 500_000;
const MAX_XLSX_ROWS = 1_000_000;

export const EXPORT_TYPES = {
  zip: 'application/zip',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** @throws PayloadTooLargeError `export_too_large` for a spreadsheet that would not fit into memory */
export async function exportFile(run: RunExport, format: keyof typeof EXPORT_TYPES): Promise<ExportFile> {
  return { content: await contentOf(run, format), mimeType: EXPORT_TYPES[format] };
}

async function contentOf(run: RunExport, format: keyof typeof EXPORT_TYPES): Promise<Readable> {
  switch (format) {
    case 'zip':
      return toZip(run);
    case 'json':
      return Readable.from(toJson(run));
    case 'xlsx':
      return Readable.from([await toXlsx(run)]);
  }
}

/** One file per node: the one that it wrote, a text as text, the rest as JSON. */
function toZip({ nodes }: RunExport): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const taken = new Map<string, number>();
  const fail = (error: Error) => output.destroy(error);
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(output);
  for (const node of nodes) {
    const name = freeName(fileNameOf(node), taken);
    if (node.text !== null) zip.addBuffer(Buffer.from(node.text), name);
    else zip.addReadStreamLazy(name, (done) => done(null, lazily(node.file?.open ?? node.openJson, fail)));
  }
  zip.end();
  return output;
}

function fileNameOf({ name, nodeId, text, file }: ExportedNode): string {
  const base = name.replaceAll('/', '_').replaceAll(/^[.\s]+|[.\s]+$/g, '') || `node-${nodeId.replaceAll(/\W/g, '_')}`;
  if (file) return file.name;
  return `${base}.${text === null ? 'json' : 'txt'}`;
}

async function* toJson({ workflowName, version, nodes }: RunExport): AsyncGenerator<string | Buffer> {
  yield `{"workflow_name":${JSON.stringify(workflowName)},"run_version":${version},"nodes":[`;
  for (const [index, { nodeId, name, kind, openJson }] of nodes.entries()) {
    const head = JSON.stringify({ node_id: nodeId, name, kind });
    yield `${index > 0 ? ',' : ''}${head.slice(0, -1)},"output":`;
    yield* (await openJson()) as AsyncIterable<Buffer>;
    yield '}';
  }
  yield ']}';
}

/** One sheet per node. Texts are written as texts, so that none is taken for a formula. */
async function toXlsx({ nodes }: RunExport): Promise<Buffer> {
  const bytes = nodes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > MAX_XLSX_BYTES) throw tooLarge();
  // Excel keeps this name for itself.
  const taken = new Set(['history']);
  const sheets = [];
  let cells = 0;
  for (const node of nodes) {
    const { columns, rows } = tableOf(await json(await node.openJson()), MAX_XLSX_ROWS);
    cells += columns.length * (rows.length + 1);
    if (cells > MAX_XLSX_CELLS) throw tooLarge();
    const header = columns.map((value) => ({ value: sheetText(value), fontWeight: 'bold' as const }));
    sheets.push({
      sheet: sheetName(node, taken),
      data: [header, ...rows.map((row) => row.map(toCell))],
      stickyRowsCount: 1,
    });
  }
  return writeXlsxFile(sheets).toBuffer();
}

function toCell(value: Scalar): Scalar {
  return typeof value === 'string' ? sheetText(value) : value;
}

/** At most 31 characters, without those that spreadsheet programs refuse. */
function sheetName({ name, nodeId }: ExportedNode, taken: Set<string>): string {
  const base =
    name.replaceAll(/[\p{Cc}[\]:*?/\\]/gu, ' ').replaceAll(/^[\s']+|[\s']+$/g, '') || nodeId.replaceAll(/\W/g, '_');
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` (${number})`;
    // The cut may go through a character that takes two.
    const candidate = base.slice(0, 31 - suffix.length).replace(/[\s'\p{Surrogate}]+$/u, '') + suffix;
    if (taken.has(candidate.toLowerCase())) continue;
    taken.add(candidate.toLowerCase());
    return candidate;
  }
}

const tooLarge = () =>
  new PayloadTooLargeError('This is too much for a spreadsheet. Export it as a zip.', { code: 'export_too_large' });
