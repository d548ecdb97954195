/** A message was not taken. Its text names no address, no secret and nothing of the message. */
export class DeliveryError extends Error {
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
