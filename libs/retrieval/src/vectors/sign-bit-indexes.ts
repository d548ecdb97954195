import type { DataSource } from 'typeorm';

const PREFIX = 'chunk_sign_bits_nearest_';
const LOOKED_UP_EVERY_MS = 60_000;
/** pgvector's list of candidates while it searches, and how far it goes on when rows are filtered out. */
const EF_SEARCH = 400;
const MAX_SCANNED = 40_000;

/**
 * The approximate index over sign bits, for databases that have the extension pgvector (0.8 or newer): faster than a
 * scan from some hundred thousand vectors on. Never needed; `npm run admin -- vector-index build` makes it.
 */
export class SignBitIndexes {
  private known: { dimensions: Set<number>; until: number } | null = null;

  constructor(private readonly dataSource: DataSource) {}

  /** Whether there is a usable index for vectors of this length. */
  async has(dimensions: number): Promise<boolean> {
    if (!this.known || this.known.until < Date.now()) {
      const found = await this.list();
      const usable = found.filter(({ ready }) => ready).map((index) => index.dimensions);
      this.known = { dimensions: new Set(usable), until: Date.now() + LOOKED_UP_EVERY_MS };
    }
    return this.known.dimensions.has(dimensions);
  }

  async list(): Promise<{ name: string; dimensions: number; ready: boolean }[]> {
    const rows = await this.dataSource.query<{ name: string; ready: boolean }[]>(
      `SELECT c.relname AS name, i.indisvalid AS ready FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = 'chunk_sign_bits'::regclass AND starts_with(c.relname, $1)`,
      [PREFIX],
    );
    return rows.map(({ name, ready }) => ({ name, ready, dimensions: Number(name.slice(PREFIX.length)) }));
  }

  /**
   * Builds an index for each length of vector there is, without stopping writers. Takes minutes for a million.
   * @returns the lengths that have one now; null when the server does not offer the extension
   */
  async build(): Promise<number[] | null> {
    const [extension] = await this.dataSource.query<{ version: string }[]>(
      `SELECT default_version AS version FROM pg_available_extensions WHERE name = 'vector'`,
    );
    if (!extension) return null;
    await this.dataSource.query('CREATE EXTENSION IF NOT EXISTS vector');
    // One that was interrupted is in the way of its successor.
    for (const { name, ready } of await this.list())
      if (!ready) await this.dataSource.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    const lengths = await this.dataSource.query<{ length: number }[]>(
      'SELECT DISTINCT length(bits) AS length FROM chunk_sign_bits',
    );
    for (const { length } of lengths)
      await this.dataSource.query(
        `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${PREFIX}${length} ON chunk_sign_bits
         USING hnsw ((bits::bit(${length})) bit_hamming_ops) WHERE length(bits) = ${length}`,
      );
    this.known = null;
    return lengths.map(({ length }) => length);
  }

  /** Removes them; searches read every vector again. */
  async drop(): Promise<string[]> {
    const names = (await this.list()).map(({ name }) => name);
    for (const name of names) await this.dataSource.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    this.known = null;
    return names;
  }
}

/** Runs a statement whose ORDER BY such an index serves: with a sort in its place it would be a slow scan. */
export function nearestByIndex<T>(dataSource: DataSource, statement: string, parameters: unknown[]): Promise<T[]> {
  return dataSource.transaction(async (tx) => {
    await tx.query(
      `SELECT set_config('hnsw.ef_search', '${EF_SEARCH}', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
         set_config('hnsw.max_scan_tuples', '${MAX_SCANNED}', true), set_config('enable_sort', 'off', true),
         set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
    );
    return tx.query<T[]>(statement, parameters);
  });
}
