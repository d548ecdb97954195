import { once } from 'node:events';
import type { ExtractorBytes } from '@app/integrations';
import type { Response } from 'express';
import type { OpenCalls } from '../../http/open-calls.js';
import { untilGone } from '../../http/until-gone.js';

/** Aborts when the client leaves, or would not be let in any more. */
export function untilUnwanted(response: Response, calls: OpenCalls): AbortSignal {
  return AbortSignal.any([untilGone(response), calls.of(response)]);
}

/** Writes what comes. What breaks off half-way is broken off here, too: nothing may look whole that is not. */
export async function writePieces(response: Response, pieces: ExtractorBytes, signal: AbortSignal): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (signal.aborted) break;
      if (!response.write(piece)) await once(response, 'drain', { signal });
    }
    if (signal.aborted) response.destroy();
    else response.end();
  } catch {
    response.destroy();
  }
}
