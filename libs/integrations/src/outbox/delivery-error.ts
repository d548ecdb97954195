import { OutsideFault } from '@app/common';

/** A message was not taken. Its text names no address, no secret and nothing of the message. */
export class DeliveryError extends OutsideFault {
  readonly code = 'not_delivered';

  constructor(
    message: string,
    /** Whether it is useless to try again. */
    readonly isPermanent: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'DeliveryError';
  }
}
