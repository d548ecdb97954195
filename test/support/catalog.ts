import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';

/** What the catalog of Postgres says of our schema, by kind; nothing in it depends on who made it when. */
const KINDS: Readonly<Record<string, string>> = {
  extensions: `SELECT extname FROM pg_extension`,
  relations: `SELECT c.relname, c.relkind, c.relpersistence, c.reloptions, t.reloptions AS toast
    FROM pg_class c LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind NOT IN ('c', 'S')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`,
  columns: `SELECT c.relname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum) AS place, a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attstorage, a.attcompression,
      a.attstattarget, pg_get_expr(d.adbin, d.adrelid) AS value
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`,
  // Of columns that may not be null, the columns tell; Postgres 18 keeps a constraint for each, older ones none.
  constraints: `SELECT conrelid::regclass::text, conname, convalidated, condeferrable, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'`,
  indexes: `SELECT indexrelid::regclass::text, indisvalid, pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relnamespace = 'public'::regnamespace`,
  triggers: `SELECT tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid)
    FROM pg_trigger WHERE NOT tgisinternal`,
  sequences: `SELECT sequencename, data_type::text, start_value, min_value, max_value, increment_by, cycle, cache_size
    FROM pg_sequences WHERE schemaname = 'public'`,
  comments: `SELECT objoid::regclass::text, objsubid, description
    FROM pg_description JOIN pg_class ON oid = objoid WHERE relnamespace = 'public'::regnamespace`,
};

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);

/** How many there are of each kind, and a digest of what they are. */
export async function catalogDigests(dataSource: DataSource): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [kind, statement] of Object.entries(KINDS)) {
    const rows = await dataSource.query<unknown[]>(statement);
    digests[kind] = `${rows.length} ${digest(rows.map((row) => JSON.stringify(row)).toSorted())}`;
  }
  return digests;
}
