/** Paid plans, as far as accounts have to know of them. */
export abstract class Subscriptions {
  /**
   * Ends what the account pays for, at once, and has the processor forget who paid. Nothing to end is no error; it may be
   * called twice.
   */
  abstract endFor(userId: number): Promise<void>;
}
