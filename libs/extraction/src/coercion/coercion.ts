import type { CellValue } from '../columns/table-column.js';

/** What is known of whoever wrote the values, which decides what is written alike in two places. */
export interface CoercionHints {
  /** The decimal sign: `1.234` is a thousand and more where it is a comma. */
  decimal?: ',' | '.';
  /** `03/04/2026` is the third of April. */
  dayFirst?: boolean;
}

/** A value as its column has it, or why it cannot be one. */
export type Coerced = { value: CellValue } | { problem: CoercionProblem; message: string };

export type CoercionProblem =
  | 'not_a_text'
  | 'not_a_number'
  | 'ambiguous_number'
  | 'number_too_long'
  | 'not_a_date'
  | 'ambiguous_date'
  | 'incomplete_date'
  | 'hijri_date'
  | 'no_time'
  | 'not_a_boolean'
  | 'not_a_list'
  | 'not_an_object'
  | 'not_an_email'
  | 'not_an_iban'
  | 'not_in_enum'
  | 'nested_too_deep';

export const problem = (code: CoercionProblem, message: string): { problem: CoercionProblem; message: string } => ({
  problem: code,
  message,
});
