import { createTestDatabase, type TestDatabase } from '../support/database.js';

/**
 * Foreign keys that need no index, each with its reason: the row that they point at is never deleted, or the table
 * stays small. Without an index, whatever deletes the other row reads this whole table.
 */
const WITHOUT_INDEX: Record<string, string> = {};

interface ForeignKey {
  name: string;
  columns: string;
}

describe('foreign keys', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('have a valid index that begins with their columns, or a reason', async () => {
    // A partial index serves a key when all it leaves out are nulls: those point at nothing.
    const bare = await database.dataSource.query<ForeignKey[]>(`
      SELECT c.conname AS name, c.conrelid::regclass || ' (' || k.names || ')' AS columns
      FROM pg_constraint c, LATERAL (
        SELECT string_agg(a.attname, ', ') AS names, array_agg('(' || a.attname || ' IS NOT NULL)') AS present
        FROM unnest(c.conkey) WITH ORDINALITY AS n(attnum, at) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = n.attnum) k
      WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace AND NOT EXISTS (
        SELECT FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid JOIN pg_am am ON am.oid = ic.relam
        WHERE i.indrelid = c.conrelid AND i.indisvalid AND am.amname = 'btree'
          AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
          AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = ANY(k.present)))
      ORDER BY 1`);
    expect(bare.filter(({ name }) => !(name in WITHOUT_INDEX))).toEqual([]);
    const names = new Set(bare.map(({ name }) => name));
    expect(Object.keys(WITHOUT_INDEX).filter((name) => !names.has(name))).toEqual([]);
  });
});
