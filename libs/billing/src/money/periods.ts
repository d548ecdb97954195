const MONTHS = { monthly: 1, yearly: 12 } as const;

/**
 * When the period after so many ends that began at `anchorMs`. It is counted from there, so that one that began on the 31st
 * ends on the 28th of February and on the 31st of March. UTC.
 */
export function endOfPeriod(anchorMs: number, periods: number, period: 'monthly' | 'yearly'): number {
  const anchor = new Date(anchorMs);
  const month = anchor.getUTCMonth() + periods * MONTHS[period];
  const year = anchor.getUTCFullYear() + Math.floor(month / 12);
  const ofYear = ((month % 12) + 12) % 12;
  const lastDay = new Date(Date.UTC(year, ofYear + 1, 0)).getUTCDate();
  const moved = new Date(anchorMs);
  moved.setUTCFullYear(year, ofYear, Math.min(anchor.getUTCDate(), lastDay));
  return moved.getTime();
}
