import type { Language, LimitParams } from './template.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A number as people read it; bytes in the largest unit that leaves one before the point. */
export function amountOf(measure: LimitParams['measure'], amount: number, language: Language): string {
  // Digits that all programs show alike, whichever way the text runs.
  const format = new Intl.NumberFormat(language === 'ar' ? 'ar-u-nu-latn' : 'en', { maximumFractionDigits: 1 });
  if (measure !== 'storage') return format.format(amount);
  const unit = Math.min(Math.max(0, Math.floor(Math.log2(Math.max(1, amount)) / 10)), UNITS.length - 1);
  return `${format.format(amount / 1024 ** unit)} ${UNITS[unit]}`;
}
