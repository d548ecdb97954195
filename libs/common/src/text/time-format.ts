/** What a format shows that has hours, minutes and seconds alone: how long something takes (`[h]:mm`), or what a clock says. */
export type TimeFormat = 'elapsed' | 'clock';

/** What numbers in this format are, if they show a time and no day. @param format a format code of Excel, such as `hh:mm` */
export function timeFormatOf(format: string): TimeFormat | null {
  const [positive = ''] = format.split(';');
  const bare = positive.replace(/"[^"]*"|\\.|[_*]./g, '').replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]|am\/pm|a\/p/gi, '');
  if (/[dyebg]/i.test(bare)) return null;
  if (/\[(h+|m+|s+)\]/i.test(bare)) return 'elapsed';
  return /[hs]/i.test(bare) ? 'clock' : null;
}
