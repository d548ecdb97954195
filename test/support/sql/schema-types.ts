import type { Client } from 'pg';

/** As the driver hands them to the program: numbers beyond 2^53 come as text. */
const KINDS: Readonly<Record<string, string>> = {
  int2: 'number',
  int4: 'number',
  oid: 'number',
  float4: 'number',
  float8: 'number',
  int8: 'string',
  numeric: 'string',
  bool: 'boolean',
  date: 'Date',
  timestamp: 'Date',
  timestamptz: 'Date',
  bytea: 'Buffer',
  text: 'string',
  varchar: 'string',
  bpchar: 'string',
  citext: 'string',
  name: 'string',
  uuid: 'string',
  inet: 'string',
  vector: 'string',
};
const ARRAYS = [
  'int2',
  'int4',
  'float4',
  'float8',
  'int8',
  'numeric',
  'bool',
  'text',
  'varchar',
  'uuid',
  'timestamptz',
];

/** The types and columns of a migrated database. */
export class SchemaTypes {
  private constructor(
    private readonly kinds: ReadonlyMap<number, string>,
    private readonly nullable: ReadonlySet<string>,
  ) {}

  static async read(client: Client): Promise<SchemaTypes> {
    const types = await client.query<{ oid: number; name: string; element: string | null }>(
      `SELECT t.oid, t.typname AS name, e.typname AS element FROM pg_type t
       LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'`,
    );
    const columns = await client.query<{ key: string }>(
      `SELECT a.attrelid || ':' || a.attnum AS key FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attnotnull`,
    );
    const kinds = types.rows.flatMap(({ oid, name, element }): [number, string][] => {
      if (element !== null) return ARRAYS.includes(element) ? [[oid, `${KINDS[element]}[]`]] : [];
      return KINDS[name] === undefined ? [] : [[oid, KINDS[name]]];
    });
    return new SchemaTypes(new Map(kinds), new Set(columns.rows.map(({ key }) => key)));
  }

  /** What a value of this type is in the program; undefined for JSON and others, which may be anything. */
  kindOf(typeId: number): string | undefined {
    return this.kinds.get(typeId);
  }

  /** Whether the column of a table may be null; what is computed says nothing. */
  mayBeNull(tableId: number, columnId: number): boolean {
    return this.nullable.has(`${tableId}:${columnId}`);
  }
}
