import type { DomainError } from '@app/common';
import type { JudgedCell } from './judged-cell.js';

/** Another try does not mend these: somebody has to. */
const FINAL: ReadonlySet<string> = new Set([
  'model_not_configured',
  'model_auth_failed',
  'model_not_found',
  'model_lacks_tools',
  'context_too_long',
]);

/** The model could not go on; what it had said by then is kept. */
export class ModelStoppedError extends Error {
  readonly code: string;
  readonly isFinal: boolean;

  constructor(
    cause: DomainError,
    readonly rows: readonly Map<string, JudgedCell>[],
  ) {
    super(cause.message, { cause });
    this.name = 'ModelStoppedError';
    this.code = cause.code;
    this.isFinal = FINAL.has(cause.code);
  }
}
