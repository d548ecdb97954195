/** Excel takes no longer ones. */
const LONGEST_FORMULA = 8_192;

// Their value is of the moment, of the machine, or of another file: nobody can compute it later.
const NOT_COMPUTABLE =
  /(?<![A-Z0-9_.])(NOW|TODAY|RAND|RANDBETWEEN|RANDARRAY|INFO|CELL|WEBSERVICE|RTD|IMAGE|STOCKHISTORY|CUBE[A-Z]+|GETPIVOTDATA|DDE)\s*\(|\[\d+\]|\.xls[xmb]?['\]]/i;
// With the prefixes under which files name newer functions.
const PREFIXES = /_xl(?:fn|ws|pm|udf)\./gi;
// They make a value of an error, or pass it over.
const PASSES_ERRORS =
  /(?<![A-Z0-9_.])(IF(?:ERROR|NA|S)|IS[A-Z]+|ERROR\.TYPE|TYPE|AGGREGATE|SUBTOTAL|COUNT[A-Z]*|[A-Z]*LOOKUP|X?MATCH|(?:SUM|AVERAGE|MAX|MIN|COUNT)IFS?|FILTER|UNIQUE|SORT|SORTBY|D(?:SUM|COUNT|COUNTA|AVERAGE|MAX|MIN|GET)|OFFSET|INDIRECT|ROWS?|COLUMNS?)\s*\(/i;

/** The formula for the engine, without `=`; null when its value cannot be known. */
export function computableFormula(formula: string): string | null {
  const text = formula.replace(/^=/, '').replace(PREFIXES, '').trim();
  return text === '' || text.length > LONGEST_FORMULA || NOT_COMPUTABLE.test(withoutStrings(text)) ? null : text;
}

export const passesErrors = (formula: string): boolean => PASSES_ERRORS.test(withoutStrings(formula));

const withoutStrings = (formula: string) => formula.replace(/"[^"]*"/g, '""');

// A string, the name of a sheet, a name or function, or a cell: only the last is moved.
const PARTS =
  /"[^"]*"|'[^']*'|(?<![A-Za-z0-9_.$])(\$?)([A-Za-z]{1,3})(\$?)([0-9]{1,7})(?![A-Za-z0-9_.(!])|(?<![A-Za-z0-9_.$])(\$?)([A-Za-z]{1,3}):(\$?)([A-Za-z]{1,3})(?![A-Za-z0-9_.(!])/g;

/** A formula that several cells share, as it reads for the cell so many rows and columns from the one that has it. */
export function shiftFormula(formula: string, rows: number, columns: number): string {
  return formula.replace(
    PARTS,
    (
      whole: string,
      fixed: string | undefined,
      column: string | undefined,
      fixedRow: string,
      row: string,
      from: string,
      left: string | undefined,
      to: string,
      right: string,
    ) => {
      if (column !== undefined) {
        const at = fixedRow === '$' ? Number(row) : Number(row) + rows;
        return at < 1 ? '#REF!' : `${fixed}${fixed === '$' ? column : moved(column, columns)}${fixedRow}${at}`;
      }
      if (left === undefined) return whole;
      return `${from}${from === '$' ? left : moved(left, columns)}:${to}${to === '$' ? right : moved(right, columns)}`;
    },
  );
}

function moved(letters: string, by: number): string {
  let number = by;
  let value = 0;
  for (const letter of letters.toUpperCase()) value = value * 26 + letter.charCodeAt(0) - 64;
  number += value;
  if (number < 1) return '#REF!';
  let name = '';
  for (; number > 0; number = Math.floor((number - 1) / 26))
    name = String.fromCharCode(65 + ((number - 1) % 26)) + name;
  return name;
}
