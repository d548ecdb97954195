import { MONTHS } from './months.js';

/** A day as it was written: without a year where none was. */
interface Day {
  day: number;
  month: number;
  year: number | null;
}

const NUMERIC =
  /(?<![\p{N}.])(?:(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{1,2})([-/.])(\d{1,2})\5(\d{4}|\d{2}))(?!\p{N})/gu;
const BY_ABBREVIATION = /(?<!\p{N})(\d{1,2})[-/](\p{L}{3})[-/](\d{4})/gu;
const WORD = /\p{L}[\p{L}\p{M}]{2,}/gu;
const DAY_BEFORE = /(?<!\p{N})(\d{1,2})(?:\.|st|nd|rd|th|er|º)?\s(?:de |of )?$/u;
const DAY_BEHIND = /^\.? {1,2}(\d{1,2})(?:st|nd|rd|th)?(?![\p{N}:])/u;
const YEAR_BEHIND = /^\.?(?: {1,2}\d{1,2}(?:st|nd|rd|th)?)?,? (?:de |del )?((?:19|20)\d\d)(?!\p{N})/u;
const AROUND = 16;
/** Of another time than the day itself. */
const RELATIVE =
  /(?:^|[^\p{L}])(?:before|after|since|until|till|from|by|vor|nach|seit|bis|ab|avant|après|depuis|jusqu'au|antes|después|desde|hasta|prima|dopo|dal|قبل|بعد|منذ)(?: (?:the|dem|del?|du|el|le|il|on))?\s*$/iu;

/** Each day that a text names, with every way in which it can be read (`05/04` in two), and where. */
function* daysIn(text: string): Generator<{ at: number; readings: Day[] }> {
  for (const { index, 1: y, 2: m, 3: d, 4: first, 6: second, 7: last } of text.matchAll(NUMERIC)) {
    if (y !== undefined) yield { at: index, readings: [{ day: Number(d), month: Number(m), year: Number(y) }] };
    else {
      const year = last!.length === 2 ? 2000 + Number(last) : Number(last);
      const [one, other] = [Number(first), Number(second)];
      yield {
        at: index,
        readings: [
          { day: one, month: other, year },
          { day: other, month: one, year },
        ],
      };
    }
  }
  for (const { index, 1: day, 2: name, 3: year } of text.matchAll(BY_ABBREVIATION)) {
    const month = MONTHS.get(name!.toLowerCase());
    if (month !== undefined) yield { at: index, readings: [{ day: Number(day), month, year: Number(year) }] };
  }
  for (const { index, 0: word } of text.matchAll(WORD)) {
    const month = MONTHS.get(word.toLowerCase());
    if (month === undefined) continue;
    const before = DAY_BEFORE.exec(text.slice(Math.max(0, index - AROUND), index));
    const behind = text.slice(index + word.length, index + word.length + AROUND);
    const day = before?.[1] ?? DAY_BEHIND.exec(behind)?.[1];
    const year = YEAR_BEHIND.exec(behind)?.[1];
    const at = before ? index - before[0].length : index;
    if (day !== undefined) yield { at, readings: [{ day: Number(day), month, year: year ? Number(year) : null }] };
  }
}

/** The one day of which a question asks; null where it names none, or several, or a time before or after one. */
export function askedDay(question: string): Day[] | null {
  const [only, ...others] = [...daysIn(question)];
  if (!only || others.length > 0 || RELATIVE.test(question.slice(Math.max(0, only.at - AROUND), only.at))) return null;
  return only.readings;
}

/** Whether a line that begins with its moment is of another day than this one. */
export function isOfAnotherDay(line: string, asked: readonly Day[]): boolean {
  const [own] = daysIn(line.slice(0, 2 * AROUND));
  return (
    own !== undefined &&
    !own.readings.some(({ day, month, year }) =>
      asked.some(
        (each) =>
          each.day === day && each.month === month && (year === null || each.year === null || each.year === year),
      ),
    )
  );
}
