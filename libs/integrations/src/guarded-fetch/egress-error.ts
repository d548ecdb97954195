import { OutsideFault } from '@app/common';

export type EgressFailure =
  | 'blocked'
  | 'unreachable'
  | 'certificate'
  | 'timeout'
  | 'too_large'
  | 'redirect'
  | 'protocol'
  | 'body';

/** A call to the outside did not come about. Its text names no address, no banner and no secret: people see it. */
export class EgressError extends OutsideFault {
  constructor(
    readonly failure: EgressFailure,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'EgressError';
  }

  get code(): string {
    return this.failure;
  }
}
