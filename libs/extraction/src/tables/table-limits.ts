export const MAX_TABLE_NAME = 255;
export const MAX_COLUMNS = 200;
export const MAX_COLUMN_NAME = 64;
export const MAX_INSTRUCTION = 4_000;
export const MAX_ENUM = 500;
export const MAX_ENUM_VALUE = 200;
export const MAX_ROWS = 100_000;
/** The key of an index holds it: 2.7 kB at most. */
export const MAX_SOURCE_UID = 500;
export const MAX_FILENAME = 500;
/** Of its JSON, in UTF-8. */
export const MAX_CELL_BYTES = 65_536;
export const MAX_METADATA_BYTES = 65_536;
/** Of one account. */
export const MAX_TABLES = 1_000;
export const MAX_DATABASES = 1_000;
/** Of one change that can be undone: cells, or rows. */
export const MAX_CHANGED = 5_000;
/** Older changes of a table cannot be undone any more. */
export const KEPT_CHANGES = 500;
