import { parseKeepingNumbers } from '@app/common';
import mysql from 'mysql2';
import { exactNumber } from '../exact-number.js';
import type { SourceCell, SourceColumnType } from '../../shapes/result-shapes.js';

/** As the driver tells of a column. */
export interface MysqlField {
  name: string;
  columnType?: number;
  /** What MariaDB says beyond it. */
  extendedFormat?: string;
}

const { Types } = mysql;

const INTEGERS = new Set<number | undefined>([
  Types.TINY,
  Types.SHORT,
  Types.INT24,
  Types.LONG,
  Types.LONGLONG,
  Types.YEAR,
  Types.BIT,
]);
const DECIMALS = new Set<number | undefined>([Types.DECIMAL, Types.NEWDECIMAL]);
const DATE_TIMES = new Set<number | undefined>([Types.DATETIME, Types.TIMESTAMP]);
const DATES = new Set<number | undefined>([Types.DATE, Types.NEWDATE]);

/** `tinyint(1)` is a number: it may be 7. So is `bit(1)`, which comes as bytes. */
export function mysqlType({ columnType, extendedFormat }: MysqlField): SourceColumnType {
  if (extendedFormat === 'json' || columnType === Types.JSON || columnType === Types.GEOMETRY) return 'json';
  if (INTEGERS.has(columnType)) return 'integer';
  if (DECIMALS.has(columnType) || columnType === Types.FLOAT || columnType === Types.DOUBLE) return 'number';
  if (DATE_TIMES.has(columnType)) return 'datetime';
  return DATES.has(columnType) ? 'date' : 'text';
}

/** JSON of what the driver makes of a value. */
export function mysqlCell(value: unknown, field: MysqlField): SourceCell {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value))
    return field.columnType === Types.BIT
      ? exactNumber(String(BigInt(`0x${value.toString('hex') || '0'}`)))
      : value.toString('base64');
  if (typeof value === 'bigint') return exactNumber(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  if (typeof value === 'number') return field.columnType === Types.FLOAT ? ofSinglePrecision(value) : value;
  const type = mysqlType(field);
  if (typeof value !== 'string') return JSON.parse(JSON.stringify(value)) as SourceCell;
  if (type === 'number' || type === 'integer') return exactNumber(value);
  if (type === 'json') return jsonOf(value);
  // Days that there are not are none.
  if ((type === 'date' || type === 'datetime') && value.startsWith('0000')) return null;
  return type === 'datetime' ? value.replace(' ', 'T') : value;
}

/** The fewest digits that mean this float: 19.99 and not 19.989999771118164, which is what its 32 bits are as 64. */
function ofSinglePrecision(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

function jsonOf(text: string): SourceCell {
  try {
    return parseKeepingNumbers(text) as SourceCell;
  } catch {
    return text;
  }
}
