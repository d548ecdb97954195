import { ARABIC_DECIMAL, ARABIC_GROUP } from './plain-signs.js';

/** Digits with their separators resolved: `1234.56`. `ambiguous`: the one separator may part thousands or decimals. */
export interface Numeral {
  digits: string;
  ambiguous: false;
}
export interface AmbiguousNumeral {
  /** Read as a thousand and more, and as a number with three decimals. */
  grouped: string;
  decimal: string;
  separator: '.' | ',';
  ambiguous: true;
}

const GROUPED = /^\d{1,3}(?:S\d{3})+$/;
const INDIAN = /^\d{1,2}(?:S\d{2})+S\d{3}$/;

/** Thousands in threes, or as India has them. */
function isGrouped(whole: string, separator: string): boolean {
  const plain = whole.split(separator).join('S');
  return GROUPED.test(plain) || (separator === ',' && INDIAN.test(plain));
}

const without = (text: string, separator: string) => text.split(separator).join('');

/**
 * What digits and separators write: `1.234,56`, `1,234.56`, `1 234,56`, `1'234.56`, `12,34,567.8`, `.5`.
 * @param text without sign, unit and blanks around it
 * @returns null for what is no number, such as `1.2.3` or `12,34.5`
 */
export function readNumeral(text: string): Numeral | AmbiguousNumeral | null {
  if (/^\d+$/.test(text)) return sure(text);
  if (!/^[\d., '٫٬]+$/u.test(text) || !/\d$/.test(text)) return null;
  if (text.includes(ARABIC_DECIMAL) || text.includes(ARABIC_GROUP)) return arabic(text);
  const [whole, fraction, last] = splitAtLast(text);
  if (last === null) return groups(whole, null);
  const seen = [...text].filter((sign) => sign === last).length;
  // The same sign twice parts groups, never decimals.
  if (seen > 1) return groups(text, null);
  if (!/^\d+$/.test(fraction)) return null;
  if (/^\d*$/.test(whole)) {
    const isAmbiguous = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
    if (!isAmbiguous) return sure(`${whole || '0'}.${fraction}`);
    return {
      grouped: whole + fraction,
      decimal: `${whole}.${fraction}`,
      separator: last,
      ambiguous: true,
    };
  }
  return groups(whole, fraction);
}

const sure = (digits: string): Numeral => ({ digits, ambiguous: false });

/** At the last point or comma. */
function splitAtLast(text: string): [whole: string, fraction: string, separator: '.' | ',' | null] {
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (at === -1) return [text, '', null];
  return [text.slice(0, at), text.slice(at + 1), text[at] === ',' ? ',' : '.'];
}

/** A whole part in groups that are parted by one sign, and only that. */
function groups(whole: string, fraction: string | null): Numeral | null {
  const separators = new Set(whole.replace(/\d/g, ''));
  const [separator] = separators;
  if (separators.size !== 1 || separator === undefined || !isGrouped(whole, separator)) return null;
  if (fraction !== null && !/^\d+$/.test(fraction)) return null;
  const digits = without(whole, separator);
  return sure(fraction === null ? digits : `${digits}.${fraction}`);
}

function arabic(text: string): Numeral | null {
  const [whole = '', fraction, ...more] = text.split(ARABIC_DECIMAL);
  if (more.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  if (/^\d*$/.test(whole)) return sure(`${whole || '0'}${fraction === undefined ? '' : `.${fraction}`}`);
  return groups(whole, fraction ?? null);
}
