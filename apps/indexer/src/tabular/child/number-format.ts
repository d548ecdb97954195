import { sureNumber } from './number-text.js';
import { unitKind } from './units.js';

/** What a format code of Excel says of the numbers that it shows. */
export interface NumberFormat {
  /** `%`: the number is a share, shown in points. */
  unit: string;
}

/** The unit that a format code shows, such as `$` for `"$"#,##0.00` or `%` for `0.0%`; null where there is none. */
export function numberFormatOf(code: string): NumberFormat | null {
  const [positive = ''] = code.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  if (positive.length > 255) return null;
  const literals: string[] = [];
  const bare = positive
    .replace(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, (_, sign: string) => {
      literals.push(sign);
      return ' ';
    })
    .replace(/\[[^\]]*\]/g, '')
    .replace(/[_*]./g, '')
    .replace(/"([^"]*)"|\\(.)/g, (_, quoted: string | undefined, escaped: string | undefined) => {
      literals.push(quoted ?? escaped ?? '');
      return ' ';
    });
  if (bare.includes('%')) return { unit: '%' };
  literals.push(...(bare.match(/\p{Sc}/gu) ?? []));
  // Escaped characters come one by one: `\k\g`.
  const candidates = [...literals.map((literal) => literal.trim()), literals.join('').trim()];
  const unit = candidates.find((candidate) => unitKind(candidate) !== null);
  return unit === undefined ? null : { unit };
}

/** A number of the file for a cell of a staged table, with the unit in which it is shown. */
export function numberText(value: number, format: NumberFormat | null): string {
  if (format === null) return sureNumber(value);
  // A share such as 0.07 is 7, not the 7.000000000000001 of its double.
  const shown = format.unit === '%' ? Number((value * 100).toPrecision(15)) : value;
  const text = sureNumber(Math.abs(shown));
  if (text.includes('e')) return sureNumber(value);
  const sign = shown < 0 ? '-' : '';
  return unitKind(format.unit) === 'currency' && /^\P{L}/u.test(format.unit)
    ? `${sign}${format.unit}${text}`
    : `${sign}${text}${format.unit === '%' ? '' : ' '}${format.unit}`;
}
