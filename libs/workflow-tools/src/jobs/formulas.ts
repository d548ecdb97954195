/** What begins a formula, in wide letters too, and after blanks. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r]/u;
/** No formula, and what comes from another CSV is always text. */
const NEGATIVE = /^-\d+(?:[.,]\d+)*$/;

/** Spreadsheet programs run cells that begin like a formula: those begin with an apostrophe instead. */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
}
