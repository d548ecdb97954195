/** Paid plans, as far as accounts have to know of them. */
export abstract class Subscriptions {
  /** Ends what the account pays for, at once. Nothing to end is no error; it may be called twice. */
  abstract cancelFor(userId: number): Promise<void>;
}
