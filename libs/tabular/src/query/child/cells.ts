import {
  DuckDBArrayValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTypeId,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { Cell, ResultType } from '../query-messages.js';

const { BOOLEAN, DATE, DECIMAL, DOUBLE, FLOAT } = DuckDBTypeId;
const INTEGERS = new Set<number>([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
]);
const TIMESTAMPS = new Set<number>([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);
const NESTED = new Set<number>([
  DuckDBTypeId.LIST,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.UNION,
]);

export function toResultType({ typeId }: DuckDBType): ResultType {
  if (typeId === BOOLEAN) return 'boolean';
  if (typeId === DATE) return 'date';
  if (typeId === DECIMAL || typeId === DOUBLE || typeId === FLOAT) return 'number';
  if (INTEGERS.has(typeId)) return 'integer';
  if (TIMESTAMPS.has(typeId)) return 'datetime';
  return NESTED.has(typeId) ? 'json' : 'text';
}

/** Makes JSON of values; remembers in `cut` whether a text was too long. */
export class CellWriter {
  cut = false;

  constructor(private readonly maxCharacters: number) {}

  write(value: DuckDBValue): Cell {
    if (value === null || value === undefined) return null;
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? withoutNoise(value) : null;
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    if (value instanceof DuckDBDecimalValue) return exactNumber(String(value));
    if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
      return value.items.map((item) => this.write(item));
    if (value instanceof DuckDBStructValue)
      return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [clean(key), this.write(item)]));
    if (value instanceof DuckDBMapValue)
      return Object.fromEntries(value.entries.map(({ key, value: item }) => [clean(String(key)), this.write(item)]));
    return this.text(clean(typeof value === 'string' ? value : textOf(value)));
  }

  private text(text: string): string {
    if (text.length <= this.maxCharacters) return text;
    this.cut = true;
    return `${text.slice(0, this.maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`;
  }
}

/** Postgres keeps no null characters, not even within JSON. */
function clean(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

function textOf(value: NonNullable<DuckDBValue>): string {
  if (value instanceof DuckDBDateValue) return value.isFinite ? String(value) : 'infinity';
  if (value instanceof DuckDBTimestampTZValue) return String(value).replace(' ', 'T').replace(/\+00$/, 'Z');
  const local =
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampSecondsValue ||
    value instanceof DuckDBTimestampMillisecondsValue ||
    value instanceof DuckDBTimestampNanosecondsValue;
  return local ? String(value).replace(' ', 'T') : String(value);
}

/** Significant digits that a double keeps of any decimal (IEEE 754), and up to which people write decimals. */
const [KEPT_DIGITS, WRITTEN_DIGITS] = [15, 12];

/**
 * Sums of decimals end in noise: 1696.4999999999998 is 1696.5, as spreadsheets show it. What has more digits of its own
 * stays as it is.
 */
function withoutNoise(value: number): number {
  if (Number.isInteger(value)) return value;
  const rounded = Number(value.toPrecision(KEPT_DIGITS));
  return rounded !== value && digitsOf(rounded) <= WRITTEN_DIGITS ? rounded : value;
}

function digitsOf(value: number): number {
  return String(value)
    .replace(/e.*|[-.]/g, '')
    .replace(/^0+/, '').length;
}

/** A number when JavaScript has exactly this one. */
function exactNumber(text: string): number | string {
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '');
  return digits.length <= 15 ? Number(text) : text;
}
