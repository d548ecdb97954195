/** ?: schemas as JSON; a part of names, twice; how many from where. One row for a table that may be read. */
export const MYSQL_TABLES = `SELECT t.TABLE_SCHEMA, t.TABLE_NAME, CASE WHEN t.TABLE_TYPE LIKE '%VIEW' THEN 'view' ELSE 'table' END,
    LEFT(t.TABLE_COMMENT, 500)
  FROM information_schema.TABLES t
  WHERE JSON_CONTAINS(?, JSON_QUOTE(t.TABLE_SCHEMA)) AND (? = '' OR LOCATE(LOWER(?), LOWER(t.TABLE_NAME)) > 0)
  ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME LIMIT ? OFFSET ?`;

export const MYSQL_COUNT = `SELECT COUNT(*) FROM information_schema.TABLES t
  WHERE JSON_CONTAINS(?, JSON_QUOTE(t.TABLE_SCHEMA)) AND (? = '' OR LOCATE(LOWER(?), LOWER(t.TABLE_NAME)) > 0)`;

/** Without a limit of its own that of the session would count. ?: the schema and the name of a table as JSON, as [["schema", "name"], ...]. */
export const MYSQL_COLUMNS = `SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.COLUMN_TYPE, c.IS_NULLABLE = 'YES'
  FROM information_schema.COLUMNS c
  WHERE JSON_CONTAINS(?, JSON_ARRAY(JSON_ARRAY(c.TABLE_SCHEMA, c.TABLE_NAME))) AND c.ORDINAL_POSITION <= ?
  ORDER BY c.TABLE_SCHEMA, c.TABLE_NAME, c.ORDINAL_POSITION LIMIT 1000000`;

/** Schemas of the server's own. */
export const MYSQL_ALL_SCHEMAS = `SELECT SCHEMA_NAME FROM information_schema.SCHEMATA
  WHERE SCHEMA_NAME NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')`;
