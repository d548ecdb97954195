import type { SourceColumnType } from '../shapes/result-shapes.js';

const INTEGERS = /^(tinyint|smallint|mediumint|int|bigint|year|bit)$/;
const NUMBERS = /^(decimal|float|double)$/;

/** What values of a column are, by `DATA_TYPE`. */
export function mysqlTypeNamed(dataType: string): SourceColumnType {
  const type = dataType.toLowerCase();
  if (INTEGERS.test(type)) return 'integer';
  if (NUMBERS.test(type)) return 'number';
  if (type === 'date') return 'date';
  if (type === 'datetime' || type === 'timestamp') return 'datetime';
  return /^(json|geometry|point|linestring|polygon|multi\w+|geometrycollection)$/.test(type) ? 'json' : 'text';
}
