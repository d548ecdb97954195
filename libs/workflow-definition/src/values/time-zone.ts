const DAY_MS = 86_400_000;
/** Each format takes 0.2 ms to make and about 50 kB to keep. */
const MAX_FORMATS = 500;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether it is a name of the IANA time zone database, such as `Europe/Berlin` or `UTC`; offsets are not names. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** What the clocks of the zone add to UTC at an instant, in milliseconds. @throws RangeError for an unknown zone. */
export function offsetAt(zone: string, instant: number): number {
  const text = formatOf(zone).format(instant);
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (!match) throw new RangeError(`The offset of ${zone} cannot be read from ${text}.`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offset : offset;
}

/**
 * The instants at which the clocks of the zone show `local` (as if it were UTC), earliest first: none where the clocks
 * skip it, two where they repeat it.
 */
export function instantsOf(zone: string, local: number): number[] {
  const offsets = new Set([offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)]);
  return [...offsets]
    .map((offset) => local - offset)
    .filter((instant) => instant + offsetAt(zone, instant) === local)
    .sort((a, b) => a - b);
}

/** The instant at which the clocks jump over a `local` that they never show. */
export function endOfGap(zone: string, local: number): number {
  return firstTransition(zone, local - DAY_MS, local + DAY_MS) ?? local - offsetAt(zone, local);
}

/** The instant in (from, to] at which another offset begins; null when both ends have the same. */
export function firstTransition(zone: string, from: number, to: number): number | null {
  const before = offsetAt(zone, from);
  if (offsetAt(zone, to) === before) return null;
  // Clocks change at whole seconds.
  let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    if (formats.size >= MAX_FORMATS) formats.delete(formats.keys().next().value!);
    formats.set(zone, format);
  }
  return format;
}
