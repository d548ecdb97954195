/** The letters of a format of moment, longest first, or a text in brackets; whatever else there is stands for itself. */
const TOKENS =
  /\[([^[\]]*)\]|MMMM|MMM|MM|Mo|M|YYYY|YY|Y|DDDD|DDDo|DDD|DD|Do|D|dddd|ddd|dd|do|d|HH|H|hh|h|kk|k|mm|m|ss|s|S+|A|a|ZZ|Z|zz|z|LTS|LT|L{1,4}|l{1,4}|X|x|E|e|WW|Wo|W|ww|wo|w|Qo|Q|g+|G+|N+/g;
/** The same in the letters of luxon. */
const LETTERS = new Map(
  ['YYYY yyyy', 'YY yy', 'DD dd', 'D d', 'DDDD ooo', 'DDD o', 'dddd EEEE', 'ddd EEE', 'Q q', 'Z ZZ', 'ZZ ZZZ', 'A a']
    .map((pair) => pair.split(' ') as [string, string])
    .concat(
      ['MMMM', 'MMM', 'MM', 'M', 'E', 'W', 'WW', 'X', 'x', 'HH', 'H', 'hh', 'h', 'mm', 'm', 'ss', 's', 'SSS'].map(
        (same) => [same, same],
      ),
    ),
);
/** Of which a script can read a time. */
const READ = new Set(['YYYY', 'YY', 'MM', 'M', 'DD', 'D', 'HH', 'H', 'hh', 'h', 'mm', 'm', 'ss', 's', 'SSS', 'A', 'a']);
/** What luxon has no letters for, of a time called `time`. */
const SCRIPTS = new Map(
  Object.entries({
    a: "time.toFormat('a').toLowerCase()",
    dd: 'time.weekdayShort.slice(0, 2)',
    d: 'String(time.weekday % 7)',
    Do: "((day) => day + (day > 3 && day < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')))(time.day)",
  }),
);
const LONG = new Map([
  ['LT', 'h:mm A'],
  ['LTS', 'h:mm:ss A'],
  ['L', 'MM/DD/YYYY'],
  ['LL', 'MMMM D, YYYY'],
  ['LLL', 'MMMM D, YYYY h:mm A'],
  ['LLLL', 'dddd, MMMM D, YYYY h:mm A'],
]);

type Part = { letters: string } | { text: string };

function partsOf(format: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const found of format.matchAll(TOKENS)) {
    const [written, inBrackets] = found;
    if (found.index > end) parts.push({ text: format.slice(end, found.index) });
    const long = LONG.get(written);
    if (inBrackets !== undefined) parts.push({ text: inBrackets });
    else if (long !== undefined) parts.push(...partsOf(long));
    else parts.push({ letters: written });
    end = found.index + written.length;
  }
  if (end < format.length) parts.push({ text: format.slice(end) });
  return parts;
}

/** JavaScript that writes `time` in a format of moment; null where it has letters that nothing here knows. */
export function momentJs(format: string): string | null {
  const written: string[] = [];
  for (const part of partsOf(format)) {
    if ('text' in part) {
      written.push(JSON.stringify(part.text));
      continue;
    }
    const letters = LETTERS.get(part.letters);
    const js = letters === undefined ? SCRIPTS.get(part.letters) : `time.toFormat('${letters}')`;
    if (js === undefined) return null;
    written.push(js);
  }
  return written.length === 0 ? "''" : written.join(' + ');
}

/** A format of moment that a time is read by, in the letters of luxon; null where it cannot be. */
export function readableFormat(format: string): string | null {
  let written = '';
  for (const part of partsOf(format)) {
    if ('letters' in part) {
      if (!READ.has(part.letters)) return null;
      written += part.letters === 'a' ? 'a' : LETTERS.get(part.letters)!;
    } else if (part.text.includes("'")) return null;
    else written += /[a-zA-Z]/.test(part.text) ? `'${part.text}'` : part.text;
  }
  return written;
}
