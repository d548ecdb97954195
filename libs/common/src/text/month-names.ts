/** The Gregorian months have names of their own in the Levant and Iraq (كانون الثاني), in the Maghreb (جانفي) and elsewhere (يناير). */
const LANGUAGES =
  'en en-GB de de-AT fr es it pt nl sv da nb fi pl cs ro hu tr ru uk el ar ar-LB ar-IQ ar-DZ ar-TN ar-MA'.split(' ');

/**
 * Names of the months, long and short, as they stand alone and in dates, without points and accents, in lower case. A
 * name that is of two months in two languages, as another release of Node might have it, is left out.
 */
export function monthNames(): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const unclear = new Set<string>();
  for (const language of LANGUAGES)
    for (const month of ['long', 'short'] as const)
      for (const beside of [{}, { day: 'numeric' } as const]) {
        const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC', calendar: 'gregory', ...beside });
        for (let index = 0; index < 12; index += 1) {
          const parts = format.formatToParts(Date.UTC(2024, index, 5));
          const name = plainMonthName(parts.find(({ type }) => type === 'month')!.value);
          const told = names.get(name);
          if (told !== undefined && told !== index + 1) unclear.add(name);
          names.set(name, index + 1);
        }
      }
  for (const name of names.keys()) if (unclear.has(name) || /\d/.test(name)) names.delete(name);
  return names;
}

/** A name as the names above are spelled. */
export function plainMonthName(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '');
}
