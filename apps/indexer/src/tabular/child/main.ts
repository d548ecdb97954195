import { fileURLToPath } from 'node:url';
import { ExtractionError } from '../../pipeline/extraction-error.js';
import { outOfMemory } from '../../pipeline/out-of-memory.js';
import type { ImportAnswer, ImportRequest } from '../import-messages.js';
import { importCsv } from './import-csv.js';
import { TableBuilder } from './table-builder.js';

// The program of the importing process: one request, one answer, and it ends with its parent.

process.on('disconnect', () => process.exit(0));
process.once('message', (request: ImportRequest) => void answer(request));

const formulaProgram = fileURLToPath(new URL('../../spreadsheets/formula-worker.js', import.meta.url));

async function answer(asked: ImportRequest): Promise<void> {
  try {
    const request = { ...asked, formulaProgram };
    const builder = await TableBuilder.create(request);
    const report = (status: string) => send({ type: 'progress', status });
    const importFile = request.kind === 'csv' ? importCsv : (await import('./import-workbook.js')).importWorkbook;
    const contents = await importFile(request, builder, report);
    await builder.close();
    send({ type: 'done', contents });
  } catch (error) {
    send(toFailure(error));
  }
}

function toFailure(error: unknown): ImportAnswer {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const known = error instanceof ExtractionError ? error : explain(detail);
  return { type: 'failed', code: known.code, message: known.message, detail };
}

function explain(detail: string): ExtractionError {
  if (/out of memory|allocation failed|Invalid (string|array) length|failed to allocate/i.test(detail))
    return outOfMemory(detail);
  if (/no space left|max_temp_directory_size/i.test(detail))
    return new ExtractionError('too_large', 'The file is too large to be imported: split it and upload the parts.');
  return new ExtractionError(
    'damaged',
    'The file is damaged or not in the format that its name promises. Save it again and upload it.',
  );
}

function send(message: ImportAnswer): void {
  process.send?.(message);
}
