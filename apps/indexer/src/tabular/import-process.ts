import { type Ending, IsolatedProcess } from '@app/isolation';
import type { TabularContents } from '@app/tabular';
import { ExtractionError } from '../pipeline/extraction-error.js';
import { outOfMemory, tookTooLong } from '../pipeline/out-of-memory.js';
import { toWatchLimits, type ImportLimits } from './import-limits.js';
import type { ImportAnswer, ImportRequest } from './import-messages.js';

/**
 * Imports one file in a process of its own, which sees this file and its work folder and is killed when it breaks a
 * limit.
 * @throws ExtractionError; `signal.reason` when aborted
 */
export async function importInProcess(
  entry: string,
  request: ImportRequest,
  limits: ImportLimits,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (status: string) => void },
): Promise<TabularContents> {
  signal.throwIfAborted();
  const workFolder = `${request.workFolder}/*`;
  const child = new IsolatedProcess<ImportRequest, ImportAnswer>({
    entry,
    heapMb: limits.heapMb,
    read: [request.path, workFolder],
    write: [workFolder],
    // DuckDB's own code stands outside of Node's permissions; its settings confine it (see TableBuilder).
    natives: ['@duckdb/node-api'],
    // The thread that computes formulas; it has the same permissions.
    threads: true,
  });
  try {
    const asked = { limits: toWatchLimits(limits), signal, explain };
    return await child.converse<TabularContents>(request, asked, (answer, { resolve, fail }) => {
      if (answer.type === 'progress') onProgress(answer.status);
      else if (answer.type === 'done') resolve(answer.contents);
      else fail(new ExtractionError(answer.code, answer.message, { cause: answer.detail }));
    });
  } finally {
    child.kill();
  }
}

function explain({ cause, detail }: Ending): ExtractionError {
  if (cause === 'time') return tookTooLong(detail);
  if (cause === 'memory') return outOfMemory(detail);
  return new ExtractionError('crashed', 'The file could not be imported: the import stopped unexpectedly.', {
    cause: detail,
  });
}
