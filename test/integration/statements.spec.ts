import { Client } from 'pg';
import { describeStatement } from '../support/sql/described.js';
import { differences } from '../support/sql/differences.js';
import type { RowType } from '../support/sql/row-types.js';
import { SchemaTypes } from '../support/sql/schema-types.js';
import { readQueries, type TypedQuery } from '../support/sql/typed-queries.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { NEVER_NULL, UNCHECKED } from '../support/sql/unchecked.js';

const fileOf = ({ place }: TypedQuery): string => place.split(':')[0]!;

describe('statements and their rows', () => {
  let database: TestDatabase;
  let client: Client;
  let types: SchemaTypes;
  const queries = readQueries();

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    types = await SchemaTypes.read(client);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('are what the schema says', async () => {
    const found: string[] = [];
    const excused = new Set<string>();
    for (const query of queries) {
      if (query.text === null) continue;
      try {
        const columns = await describeStatement(client, query.text);
        for (const difference of query.row === null ? [] : differences(query.row, columns, types)) {
          const excuse = `${fileOf(query)}: ${difference.replace(/ may be null$/, '')}`;
          if (excuse in NEVER_NULL) excused.add(excuse);
          else found.push(`${query.place}: ${difference}`);
        }
      } catch (error) {
        found.push(`${query.place}: ${String(error)}`);
      }
    }
    expect(found).toEqual([]);
    expect([...excused].sort()).toEqual(Object.keys(NEVER_NULL).sort());
  });

  it('are known, but for a list that only shrinks', () => {
    const open = new Map<string, number>();
    const places = new Set<string>();
    for (const query of queries) {
      if (query.isKnown || places.has(query.place)) continue;
      places.add(query.place);
      open.set(fileOf(query), (open.get(fileOf(query)) ?? 0) + 1);
    }
    expect(queries.length).toBeGreaterThan(800);
    expect([...open].filter(([file, count]) => count > (UNCHECKED[file] ?? 0))).toEqual([]);
    expect(Object.keys(UNCHECKED).filter((file) => !open.has(file))).toEqual([]);
  });

  it.each<[string, Record<string, [string[] | null, boolean]>, string[]]>([
    ['SELECT id, username FROM users', { id: [['number'], false], username: [['string'], false] }, []],
    ['SELECT id FROM users', { id: [['string'], false] }, ['id is number, not string']],
    ['SELECT id FROM users', { name: [['string'], false] }, ['name is no column']],
    ['SELECT count(*) FROM users', { count: [['number'], false] }, ['count is string, not number']],
    ['SELECT count(*)::int FROM users', { count: [['number'], false] }, []],
    ['SELECT deleted_at FROM workflows', { deleted_at: [['Date'], false] }, ['deleted_at may be null']],
    ['SELECT deleted_at FROM workflows', { deleted_at: [['Date'], true] }, []],
    ['SELECT array_agg(username::text) AS names FROM users', { names: [['string[]'], true] }, []],
    [
      'DELETE FROM users WHERE id = $1 RETURNING is_active',
      { is_active: [['string'], false] },
      ['is_active is boolean, not string'],
    ],
  ])('%s as %j', async (text, declared, expected) => {
    const row: RowType = new Map(
      Object.entries(declared).map(([name, [kinds, isNullable]]) => [
        name,
        { kinds: kinds && new Set(kinds), isNullable },
      ]),
    );
    expect(differences(row, await describeStatement(client, text), types)).toEqual(expected);
  });

  it('a statement that does not fit the schema is refused, and the next is asked all the same', async () => {
    await expect(describeStatement(client, 'SELECT nothing FROM users')).rejects.toThrow('"nothing" does not exist');
    await expect(describeStatement(client, 'SELECT 1 FROM nowhere')).rejects.toThrow('"nowhere" does not exist');
    expect(await describeStatement(client, 'SELECT 1 AS one')).toMatchObject([{ name: 'one' }]);
  });
});
