import { noEvidence } from '../cells/no-evidence.js';
import { coerceValue } from '../coercion/coerce-value.js';
import type { CellEvidence, CellValue, ExtractedValue, TableColumn } from '../kit.js';
import { isTooLarge } from './given-values.js';
import type { ReferenceKeys } from './reference-keys.js';

/**
 * What was read from a document as its column is now: it may have got another type since, and a key of another table has
 * to be one. A value that does not fit is a blank with its reason.
 */
export function fitValue(
  { value, evidence }: ExtractedValue,
  column: TableColumn,
  references: ReferenceKeys,
): { value: CellValue; evidence: CellEvidence } {
  const read = coerceValue(column, value);
  if ('problem' in read) return { value: null, evidence: { ...evidence, score: 0, reason: read.problem } };
  if (isTooLarge(read.value)) return { value: null, evidence: { ...evidence, score: 0, reason: 'value_too_large' } };
  if (column.outputType !== 'reference' || typeof read.value !== 'string') return { value: read.value, evidence };
  const key = references.find(column, read.value);
  if (key !== null) return { value: key, evidence };
  return { value: null, evidence: noEvidence(evidence.method, 'no_such_key', evidence.model) };
}
