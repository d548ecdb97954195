/** Of these no user's table is one. */
export const POSTGRES_SYSTEM = `n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'`;

/** Whose values those of column `a` of type `t` are told as: of a domain its type, of arrays of other types those of texts. */
const KIND = `CASE WHEN t.typtype = 'd' THEN t.typbasetype::int8
    WHEN t.typcategory = 'A' AND t.typdelim = ',' AND t.oid >= 16384 THEN 1009 ELSE a.atttypid::int8 END`;

/** $1: schemas, null for all; $2: a part of names; $3, $4: how many from where. One row for a table that may be read. */
export const POSTGRES_TABLES = `SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END,
    coalesce(left(pg_catalog.obj_description(c.oid, 'pg_class'), 500), ''),
    (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(a.attname, ${KIND}, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull) ORDER BY a.attnum)
     FROM (SELECT * FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           ORDER BY a.attnum LIMIT $5::int4 + 1) a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid),
    count(*) OVER ()
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND ${POSTGRES_SYSTEM}
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
    AND ($1::text IS NULL OR n.nspname::text IN (SELECT pg_catalog.jsonb_array_elements_text($1::jsonb)))
    AND ($2::text = '' OR pg_catalog.strpos(pg_catalog.lower(c.relname::text), pg_catalog.lower($2::text)) > 0)
  ORDER BY 1, 2 LIMIT $3::int4 OFFSET $4::int8`;
