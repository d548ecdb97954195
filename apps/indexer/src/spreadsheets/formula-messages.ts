/** A cell of a workbook for the calculation; rows and columns count from 0. */
export interface CalculatedCell {
  sheet: number;
  row: number;
  column: number;
  /** As a person would type it: `1.5`, `'text`, `TRUE`, `=A1*2`. */
  input: string;
  /** Its value is wanted. */
  wanted?: true;
  /** An array formula of one cell. */
  array?: true;
}

export interface CalculationRequest {
  sheetNames: readonly string[];
  names: readonly { name: string; formula: string; sheet: number | null }[];
  cells: readonly CalculatedCell[];
}

export type CalculatedValue =
  | { type: 'number'; value: number }
  | { type: 'text'; value: string }
  | { type: 'boolean'; value: boolean }
  /** What Excel too shows as an error, such as `#DIV/0!`. */
  | { type: 'error'; value: string }
  /** It could not be computed. */
  | null;

/** Of the wanted cells, in their order. */
export type CalculationAnswer = CalculatedValue[];
