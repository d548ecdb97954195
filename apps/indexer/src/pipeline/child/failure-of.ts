import { ExtractionError, type ExtractionErrorCode } from '../extraction-error.js';
import { outOfMemory } from '../out-of-memory.js';

export interface Failure {
  code: ExtractionErrorCode;
  /** A sentence for the owner of the document. */
  message: string;
  /** For the log. */
  detail: string;
  /** The parser failed in a way nobody foresaw, so its process is not used again. */
  tainted: boolean;
}

/** What is to be told of an error of a parser. */
export function failureOf(error: unknown): Failure {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (error instanceof ExtractionError) {
    return { code: error.code, message: error.message, detail: String(error.cause ?? ''), tainted: false };
  }
  if (/allocation failed|out of memory|cannot enlarge memory|Invalid (string|array) length/i.test(detail)) {
    return { code: 'out_of_memory', message: outOfMemory('').message, detail, tainted: true };
  }
  // Parsers answer malformed files with errors of every kind; a fault of ours would look the same, so the detail is kept.
  const message = 'The file is damaged or not in the format that its name promises. Save it again and upload it.';
  return { code: 'damaged', message, detail, tainted: true };
}
