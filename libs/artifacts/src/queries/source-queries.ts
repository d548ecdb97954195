import type { Cell, ResultColumn } from '@app/tabular';
import type { NamedQuery, ParamValue } from './named-query.js';

/** What a query reads: a file of tables, or a connected database. */
export interface ArtifactSource {
  /** `file:<uid>` or `ds:<id>`. */
  ref: string;
  type: 'file' | 'postgres' | 'mysql';
  name: string;
}

export interface AskedQuery {
  query: NamedQuery;
  /** By name; what is missing takes its default. */
  params: Readonly<Record<string, unknown>>;
}

/** A result, or why there is none, in words for the author of the page. */
export type QueryOutcome =
  | { columns: ResultColumn[]; rows: Cell[][]; truncated: boolean; asOf: Date }
  | { error: { code: string; message: string } };

/** A version that was checked before it is stored. */
export interface CheckedQuery {
  name: string;
  columns: ResultColumn[];
  rowCount: number;
}

/** Statements of pages, charts and agents over sources that belong to one person. */
export abstract class SourceQueries {
  /**
   * What the refs name, in their order.
   * @throws NotFoundError `source_not_found` for what the owner does not have; InvalidRequestError `invalid_source`
   */
  abstract describe(ownerId: number, refs: readonly string[]): Promise<ArtifactSource[]>;

  /**
   * Changes whenever a source could give other rows than before: a file that was imported again, a connection that was
   * changed. A source that is gone, or is not the owner's any more, is absent.
   */
  abstract revisions(ownerId: number, refs: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /**
   * One outcome for each query, in order: one that fails does not keep the others. All queries of files go through one run
   * of the query process.
   * @throws the signal's reason
   */
  abstract run(ownerId: number, asked: readonly AskedQuery[], signal?: AbortSignal): Promise<QueryOutcome[]>;

  /**
   * Whether each may be kept: allowed, and runs with its defaults. One result for each, in order.
   * @throws InvalidRequestError `invalid_query` in words that name the query; the signal's reason
   */
  abstract check(ownerId: number, queries: readonly NamedQuery[], signal?: AbortSignal): Promise<CheckedQuery[]>;

  /** The values that are bound, by the declaration of the query. @throws InvalidRequestError `invalid_params` */
  abstract bind(query: NamedQuery, given: Readonly<Record<string, unknown>>): Record<string, ParamValue>;
}
