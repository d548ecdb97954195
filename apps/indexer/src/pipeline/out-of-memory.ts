import { ExtractionError } from './extraction-error.js';

/** Several places notice it, each in its own way; the owner of the document reads one sentence. */
export function outOfMemory(detail: string): ExtractionError {
  return new ExtractionError(
    'out_of_memory',
    'The file is too complex to be read: it needs more memory than is allowed. Split it and upload the parts.',
    { cause: detail },
  );
}
