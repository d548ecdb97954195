import type { WorkRules } from './define-work.js';

/** The right to work on one row. Every write of its holder carries it, in the same statement or transaction. */
export interface Claim<Row extends object = object> {
  readonly definition: WorkRules;
  /** The primary key as text. */
  readonly key: readonly string[];
  /** By which it was found (`WorkRules.lane`). */
  readonly lane?: readonly string[];
  /** Rises with each claim. */
  readonly fence: number;
  /** New with each claim: a fence that a lost standby hands out twice is not believed. */
  readonly leaseOwner: string;
  /** Tries of this piece of work, this one included; 0 once it has got on. */
  attempt: number;
  /** Whoever had it before fell silent. */
  readonly wasLost?: boolean;
  /** A worker was lost over it, perhaps because of its neighbours (`WorkRules.aloneAfterLoss`). */
  readonly isSuspect: boolean;
  /** It was alone when that happened. */
  readonly wasLostAlone: boolean;
  readonly row: Row;
}

/** Somebody else has taken the work over, or it is not wanted any more: its worker must write nothing more. */
export class ClaimLostError extends Error {
  constructor({ definition, key }: Pick<Claim, 'definition' | 'key'>) {
    super(`The claim on ${definition.work} ${key.join(':')} is lost.`);
    this.name = 'ClaimLostError';
  }
}

/** Thrown by a worker: no further try would change that. `message` is a sentence for people. */
export class GiveUpError extends Error {
  constructor(
    reason: string,
    /** As clients see it. */
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.name = 'GiveUpError';
  }
}

/** Thrown by a worker: somebody is to go on later. `message` is a sentence for people. */
export class TryAgainError extends Error {
  /** Seconds; absent: as the work's rules say. */
  readonly afterSeconds?: number;
  /** Whether it was a try that went wrong; else it is no fault of the work, however long it lasts. */
  readonly isTry: boolean;
  /** As clients see it, once the tries are spent. */
  readonly code: string;

  constructor(
    reason: string,
    {
      afterSeconds,
      isTry = true,
      code = 'unavailable',
    }: { afterSeconds?: number | null; isTry?: boolean; code?: string } = {},
  ) {
    super(reason);
    this.name = 'TryAgainError';
    if (afterSeconds !== undefined && afterSeconds !== null) this.afterSeconds = afterSeconds;
    this.isTry = isTry;
    this.code = code;
  }
}
