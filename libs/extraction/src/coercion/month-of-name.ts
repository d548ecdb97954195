import { monthNames, plainMonthName } from '@app/common';

const SHORTEST_PREFIX = 3;
const HIJRI = new Set(
  (
    'محرم صفر ربيع رجب شعبان رمضان شوال القعدة الحجة جمادى muharram safar rajab shaban shaaban sha’ban ramadan shawwal ' +
    'dhu dhul rabi jumada jamada'
  ).split(' '),
);

let known: ReadonlyMap<string, number> | undefined;
const found = new Map<string, number | null>();

/**
 * The month of a name in some twenty languages, long, short, or cut (`Sept`, `Mär`); two names of one month are one
 * (`كانون الثاني/يناير`). null for what names none, or several.
 */
export function monthOfName(name: string): number | null {
  const plain = plainMonthName(name).trim();
  const before = found.get(plain);
  if (before !== undefined) return before;
  const month = look(plain);
  // A stranger's words do not fill the memory.
  if (found.size < 1000) found.set(plain, month);
  return month;
}

function look(plain: string): number | null {
  known ??= monthNames();
  const whole = known.get(plain);
  if (whole !== undefined) return whole;
  const both = /^(.+?) ?[/-] ?(.+)$/.exec(plain);
  if (both) {
    const [first, second] = [known.get(both[1] ?? ''), known.get(both[2] ?? '')];
    return first !== undefined && first === second ? first : null;
  }
  if (plain.length < SHORTEST_PREFIX || !/^[a-z]+$/.test(plain)) return null;
  const months = new Set([...known].filter(([one]) => one.startsWith(plain)).map(([, month]) => month));
  const [month] = months;
  return months.size === 1 && month !== undefined ? month : null;
}

/** Whether a month of the Islamic calendar is named. */
export const namesHijriMonth = (text: string): boolean =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{M}’]+/u)
    .some((word) => HIJRI.has(word));
