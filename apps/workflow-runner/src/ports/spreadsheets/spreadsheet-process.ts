import { type Ending, IsolatedProcess } from '@app/isolation';
import { ToolError } from '@app/workflow-definition';
import type { SpreadsheetReply, SpreadsheetRequest } from './spreadsheet-messages.js';

const HEAP_MB = 512;
const MAX_RESIDENT_BYTES = 768 * 1024 * 1024;

/**
 * One request in a process of its own, which sees this one file and is killed when it breaks a limit.
 * @throws ToolError; the signal's reason
 */
export async function readInProcess(
  entry: string,
  request: SpreadsheetRequest,
  { signal, limitMs }: { signal: AbortSignal; limitMs: number },
): Promise<Exclude<SpreadsheetReply, { type: 'failed' }>> {
  signal.throwIfAborted();
  const child = new IsolatedProcess<SpreadsheetRequest, SpreadsheetReply>({
    entry,
    heapMb: HEAP_MB,
    read: [request.path],
  });
  try {
    const limits = { totalMs: limitMs, rssBytes: MAX_RESIDENT_BYTES };
    return await child.converse(request, { limits, signal, explain }, (reply, { resolve, fail }) => {
      if (reply.type === 'failed') fail(new ToolError(reply.code, reply.message, false));
      else resolve(reply);
    });
  } finally {
    child.kill();
  }
}

function explain({ cause }: Ending): ToolError {
  const message =
    cause === 'time'
      ? 'Reading the spreadsheet took too long.'
      : 'The spreadsheet needs more memory than may be used to read it.';
  return new ToolError('spreadsheet_too_large', message, false);
}
