import { ValidationError } from '@app/common';
import { ROW_MODES } from '../kit.js';
import { MAX_METADATA_BYTES } from './table-limits.js';

/**
 * Keys that are given take the place of those that are there; the others stay.
 * @throws ValidationError where it is too large, or `row_mode` is none
 */
export function mergeMetadata(kept: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  const merged = Object.fromEntries([...Object.entries(kept), ...Object.entries(given)]);
  if (Object.hasOwn(given, 'row_mode') && !ROW_MODES.some((mode) => mode === given.row_mode))
    throw new ValidationError({ 'metadata.row_mode': [`Must be one of ${ROW_MODES.join(', ')}.`] });
  if (Buffer.byteLength(JSON.stringify(merged)) > MAX_METADATA_BYTES)
    throw new ValidationError({ metadata: [`Ensure this field has no more than ${MAX_METADATA_BYTES} bytes.`] });
  return merged;
}
