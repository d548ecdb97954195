/** Taken for a formula by programs that read such a text, or what was made of it: also its wide forms, also after blanks. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u;

/** A text that no spreadsheet takes for a formula. */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** A line of CSV (RFC 4180) with its end. Numbers stand as they are, texts without formulas, null as nothing. */
export function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const text = withoutFormula(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\r\n`;
}
