import type { JobDefinition, WorkPayload } from '@app/contracts';
import type { Work } from '@app/observability';
import type { DataSource, EntityManager } from 'typeorm';
import type { LeaseColumns } from './lease-of.js';

/** Makes a parameter of the value and gives its placeholder. */
export type Param = (value: unknown) => string;

/** A list of SQL assignments to columns of the row, such as `` (p) => `size_bytes = ${p(bytes)}` ``. */
export type Assignments = (param: Param) => string;

export interface RetryRules {
  /** Tries of one piece of work, the first included; then it is given up. `Infinity`: never. */
  tries: number;
  /** Seconds before the next try. @param attempt the one that went wrong, from 1 */
  delaySeconds: (attempt: number) => number;
}

/**
 * Background work on the rows of one table, which has the columns of `LeasedRow` (libs/entities): whoever wants a row
 * worked on sets `next_attempt_at`; it is null when nothing is to be done.
 */
export interface WorkRules {
  /** In metrics and log lines, as operators speak of it. */
  readonly work: Work;
  readonly job: JobDefinition<WorkPayload>;
  readonly table: string;
  /** The primary key: columns with their SQL types. */
  readonly key: Readonly<Record<string, string>>;
  /** SQL: the SELECT list that makes a `Row` of a row `w`. */
  readonly columns: string;
  /** SQL over `w`: whether the row may be worked on now; where it no longer holds, the claim is lost. */
  readonly when?: string;
  /** Further SQL assignments of a claim. */
  readonly onClaim?: string;
  readonly retry: RetryRules;
  /** A sentence for people when a try ends with an error that nobody foresaw; the error's own message unless told. */
  readonly unexpected?: string;
  /** The same when its worker is gone. */
  readonly workerLost?: string;
  /** Said behind the reason when its tries are spent, instead of how many they were. */
  readonly triesSpent?: string;
  /** Further SQL assignments when somebody else is to go on with it, be it another try or not. */
  readonly onLetGo?: string;
  /**
   * Makes a row show that its worker is lost, before anybody takes it up again; else it looks as if it were worked on.
   * `of`: SQL over `w`, by which those under way are found; `set`: further SQL assignments.
   */
  readonly onLost?: { readonly of: string; readonly set: string };
  /** Further SQL assignments before another try. */
  readonly onRetry?: string;
  /** Further assignments when it is given up; `last_error` has the reason. */
  readonly onGivenUp?: string;
  /** What is written beside the row when it is given up, in the same transaction. */
  whenGivenUp?(row: object, tx: EntityManager): Promise<void>;
  /**
   * The work may take its process down, and its neighbours with it. What was at work when a worker was lost is a suspect:
   * it is tried alone, with no other work of such kinds in its process, and of the tries that lost their worker only those
   * are counted in which it was alone.
   */
  readonly aloneAfterLoss?: boolean;
  /** The same, where it would be too much to ask of its neighbours: a process takes up one suspect at a time, beside other work. */
  readonly oneSuspectAtATime?: boolean;
  /**
   * Rows that are worked on one after the other, such as those of one conversation. The key of a job names the lane, a
   * claim takes the first row that is due in it, and whoever ends one goes on with the next. `when` has to keep others of
   * the lane from being due; a unique index that refuses a second one at work counts as somebody who was quicker.
   */
  readonly lane?: { readonly column: string; readonly type: string; readonly order: string };
  /** How many a process does at a time while the queue is away: those that mostly wait need not wait for each other. One unless told. */
  readonly atOnceWithoutQueue?: number;
  /** Of a table whose columns have other names, which a release beside this one works with as well. */
  readonly lease?: Partial<LeaseColumns>;
}

/** Work of a kind that somebody waits for, and work that nobody does. */
export interface WorkClasses<Row extends object> {
  /** In which they are taken. */
  readonly order: readonly string[];
  /** However much of the others there is, one slot of a process with several is kept for this one. */
  readonly keptFor: string;
  /** One of so many claims takes this one first, so that it does not wait for ever. */
  readonly share?: { readonly of: string; readonly everyTurns: number } | undefined;
  readonly of: (row: Row) => string;
}

export interface WorkDefinition<Row extends object> extends WorkRules {
  /** Ids for log lines. */
  readonly ids: (row: Row) => Record<string, string | number | null>;
  /** On whose account the work is done, for log lines. */
  readonly ownerOf: (row: Row) => number | null;
  /** The request that asked for it (`currentOrigin`), for log lines; absent or null: that of the job that led to the row. */
  readonly originOf?: (row: Row) => string | null;
  whenGivenUp?(row: Row, tx: EntityManager): Promise<void>;
  /**
   * The key of the row whose turn it is, null when none is due: a job then says that there is work, not which. Without
   * it each row is worked on when a job asks for it.
   * @param except rows that were found, and that somebody else was faster to take
   * @param classes that may be taken, the first one first; empty: the work has none
   */
  readonly next?: (
    db: DataSource,
    except: readonly (readonly string[])[],
    classes: readonly string[],
  ) => Promise<string[] | null>;
  /** A job can be faster than the note that it was added: writes the note where nothing else was found to do. */
  readonly onEarlyJob?: (db: DataSource, key: readonly string[]) => Promise<unknown>;
  /** Needs `next`. Whoever ends a piece goes on with the next one, since a job may have found no slot. */
  readonly classes?: WorkClasses<Row>;
}

/**
 * The one declaration of a kind of background work (docs/contract/reliability.md#jobs); `@Performs` marks the method
 * that does it.
 */
export function defineWork<Row extends object>(definition: WorkDefinition<Row>): WorkDefinition<Row> {
  return Object.freeze(definition);
}
