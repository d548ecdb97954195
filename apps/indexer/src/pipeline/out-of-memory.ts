import { ExtractionError } from './extraction-error.js';

/** Several places notice it, each in its own way; the owner of the document reads one sentence. */
export function outOfMemory(detail: string): ExtractionError {
  return new ExtractionError(
    'out_of_memory',
    'The file is too complex to be read: it needs more memory than is allowed. Split it and upload the parts.',
    { cause: detail },
  );
}

/** @param detail for the log */
export function tookTooLong(detail: string): ExtractionError {
  const message = 'Reading the file took too long. Upload it in smaller parts or with less detail.';
  return new ExtractionError('timed_out', message, { cause: detail });
}
