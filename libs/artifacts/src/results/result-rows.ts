import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { artifactNotFound } from '../artifacts/artifact-access.js';

/** One query of a version with the values that are bound to it, and what the sources are at the moment. */
export interface ResultKey {
  queryName: string;
  /** SHA-256 of the values. */
  paramsKey: Buffer;
  /** SHA-256 of what a result is made of. */
  stateKey: Buffer;
}

export interface ResultPlace {
  artifactId: string;
  version: number;
}

/** JSON of `{columns, rows, truncated}`, and when the data was read; or why there is none. */
export type KeptResult = { result: string; asOf: Date } | { error: ResultError };

export interface ResultError {
  code: string;
  /** For whoever wrote the page. */
  message: string;
  /** Of `invalid_params`: what is wrong, by the name of the parameter. */
  params?: Record<string, string>;
}

interface KeptRow {
  place: number;
  result: string | null;
  asOf: Date;
}

/** How long a process that makes results is believed to live without a word. */
export const MAKING_SECONDS = 6;
/** How long a failure is handed to others, who ask the same. */
const FAILURE_SECONDS = 5;

const FOREIGN_KEY_VIOLATION = '23503';

/** SQL: the keys of a call, in their order. */
const WANTED = `unnest($3::text[], $4::bytea[], $5::bytea[]) WITH ORDINALITY AS w (query_name, params_key, state_key, place)`;
const OF_WANTED = `r.artifact_id = $1 AND r.version = $2 AND r.query_name = w.query_name AND r.params_key = w.params_key`;

/** The rows of `artifact_results`. */
@Injectable()
export class ResultRows {
  constructor(private readonly dataSource: DataSource) {}

  /** Those that hold at the moment, by their place among the keys. */
  async findCurrent(place: ResultPlace, keys: readonly ResultKey[]): Promise<Map<number, KeptResult>> {
    const rows = await this.dataSource.query<(KeptRow & { failure: ResultError | null })[]>(
      `SELECT w.place::int - 1 AS place, r.result, r.as_of AS "asOf",
         CASE WHEN r.state_key IS DISTINCT FROM w.state_key THEN r.failure END AS failure
       FROM ${WANTED} JOIN artifact_results r ON ${OF_WANTED}
       WHERE r.state_key = w.state_key
         OR (r.failed_key = w.state_key AND r.failed_at > now() - make_interval(secs => ${FAILURE_SECONDS}))`,
      values(place, keys),
    );
    return keptOf(rows);
  }

  /** The last ones, whatever has become of their sources: of a page without queries of its own. */
  async findLast(place: ResultPlace, keys: readonly ResultKey[]): Promise<Map<number, KeptResult>> {
    const rows = await this.dataSource.query<KeptRow[]>(
      `SELECT w.place::int - 1 AS place, r.result, r.as_of AS "asOf"
       FROM ${WANTED} JOIN artifact_results r ON ${OF_WANTED} WHERE r.result IS NOT NULL`,
      values(place, keys),
    );
    return keptOf(rows);
  }

  /**
   * Takes on to make those that are not there, and that nobody makes at the moment.
   * @returns the places of those that are the caller's now
   * @throws NotFoundError `artifact_not_found` once it is deleted: nobody makes anything of it any more
   */
  async claim(place: ResultPlace, keys: readonly ResultKey[], maker: string): Promise<Set<number>> {
    const [{ isThere, places }] = await this.dataSource
      .query<[{ isThere: boolean; places: number[] }]>(
        `WITH wanted AS (SELECT * FROM ${WANTED}),
       claimed AS (
         INSERT INTO artifact_results AS r (artifact_id, version, query_name, params_key, made_by, made_key, made_until)
         SELECT $1, $2, query_name, params_key, $6, state_key, now() + make_interval(secs => ${MAKING_SECONDS})
         FROM wanted WHERE EXISTS (SELECT FROM artifacts a WHERE a.id = $1) ORDER BY query_name, params_key
         ON CONFLICT (artifact_id, version, query_name, params_key) DO UPDATE
           SET made_by = excluded.made_by, made_key = excluded.made_key, made_until = excluded.made_until
           WHERE r.state_key IS DISTINCT FROM excluded.made_key
             AND (r.made_until IS NULL OR r.made_until < now() OR r.made_key IS DISTINCT FROM excluded.made_key)
             AND NOT (r.failed_key IS NOT DISTINCT FROM excluded.made_key
               AND coalesce(r.failed_at > now() - make_interval(secs => ${FAILURE_SECONDS}), false))
         RETURNING query_name, params_key)
       SELECT EXISTS (SELECT FROM artifacts a WHERE a.id = $1) AS "isThere",
         ARRAY(SELECT w.place::int - 1 FROM wanted w JOIN claimed USING (query_name, params_key)) AS places`,
        [...values(place, keys), maker],
      )
      .catch((error: unknown) => {
        // It is deleted at this moment.
        throw (error as { code?: unknown }).code === FOREIGN_KEY_VIOLATION ? artifactNotFound() : error;
      });
    if (!isThere) throw artifactNotFound();
    return new Set(places);
  }

  /** As long as the caller works on them. */
  async hold({ artifactId, version }: ResultPlace, maker: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE artifact_results SET made_until = now() + make_interval(secs => ${MAKING_SECONDS})
       WHERE artifact_id = $1 AND version = $2 AND made_by = $3`,
      [artifactId, version, maker],
    );
  }

  /** Lets those go that were not kept. */
  async release({ artifactId, version }: ResultPlace, maker: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE artifact_results SET made_by = NULL, made_key = NULL, made_until = NULL
       WHERE artifact_id = $1 AND version = $2 AND made_by = $3`,
      [artifactId, version, maker],
    );
  }

  /** Under the claim: what somebody else has made meanwhile stays. */
  async keep({ artifactId, version }: ResultPlace, key: ResultKey, maker: string, made: KeptResult): Promise<void> {
    const where = `artifact_id = $1 AND version = $2 AND query_name = $3 AND params_key = $4 AND made_by = $5`;
    const place = [artifactId, version, key.queryName, key.paramsKey, maker];
    if ('error' in made)
      await this.dataSource.query(
        `UPDATE artifact_results SET failure = $6, failed_key = $7, failed_at = now(),
           made_by = NULL, made_key = NULL, made_until = NULL WHERE ${where}`,
        [...place, made.error, key.stateKey],
      );
    else
      await this.dataSource.query(
        `UPDATE artifact_results SET result = $6, size_bytes = $7, state_key = $8, as_of = $9,
           failure = NULL, failed_key = NULL, failed_at = NULL, made_by = NULL, made_key = NULL, made_until = NULL
         WHERE ${where}`,
        [...place, made.result, Buffer.byteLength(made.result), key.stateKey, made.asOf],
      );
  }

  /** The oldest go where an artifact has more than it may: before all results those that are none, which anybody can make. */
  async trim(artifactId: string, { bytes, results }: { bytes: number; results: number }): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM artifact_results r USING (
         SELECT version, query_name, params_key, sum(size_bytes) OVER newest AS total, row_number() OVER newest AS place
         FROM artifact_results WHERE artifact_id = $1 WINDOW newest AS (ORDER BY (result IS NULL), as_of DESC, query_name, params_key)) o
       WHERE r.artifact_id = $1 AND r.version = o.version AND r.query_name = o.query_name AND r.params_key = o.params_key
         AND (o.total > $2 OR o.place > $3) AND r.made_by IS NULL`,
      [artifactId, bytes, results],
    );
  }

  /** What versions gave that are not the latest any more, or are gone. @returns how many */
  async sweep(days: number, most: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM artifact_results r USING (
         SELECT o.artifact_id, o.version, o.query_name, o.params_key FROM artifact_results o
         JOIN artifacts a ON a.id = o.artifact_id
         WHERE o.version <> a.version AND o.as_of < now() - make_interval(days => $1) LIMIT $2) old
       WHERE r.artifact_id = old.artifact_id AND r.version = old.version AND r.query_name = old.query_name
         AND r.params_key = old.params_key`,
      [days, most],
    );
    return count;
  }
}

function keptOf(rows: readonly (KeptRow & { failure?: ResultError | null })[]): Map<number, KeptResult> {
  return new Map(
    rows.flatMap(({ place, result, asOf, failure }): [number, KeptResult][] => {
      if (failure) return [[place, { error: failure }]];
      return result === null ? [] : [[place, { result, asOf }]];
    }),
  );
}

function values({ artifactId, version }: ResultPlace, keys: readonly ResultKey[]): unknown[] {
  return [
    artifactId,
    version,
    keys.map(({ queryName }) => queryName),
    keys.map(({ paramsKey }) => paramsKey),
    keys.map(({ stateKey }) => stateKey),
  ];
}
