/** Why a document could not be read. All but two are properties of the file: trying again changes nothing. */
export const EXTRACTION_ERROR_CODES = [
  'encrypted',
  'damaged',
  'empty',
  'too_large',
  'unsupported',
  'out_of_memory',
  'timed_out',
  'crashed',
] as const;
export type ExtractionErrorCode = (typeof EXTRACTION_ERROR_CODES)[number];

// A busy machine or a passing fault may be to blame; the job's own limit of attempts ends the retries.
const WORTH_A_RETRY: ReadonlySet<ExtractionErrorCode> = new Set(['timed_out', 'crashed']);

/** `message` is a sentence for the owner of the document: it becomes its `last_error`. */
export class ExtractionError extends Error {
  readonly permanent: boolean;

  constructor(
    readonly code: ExtractionErrorCode,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
    this.name = 'ExtractionError';
    this.permanent = !WORTH_A_RETRY.has(code);
  }
}
