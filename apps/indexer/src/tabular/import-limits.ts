import type { WatchedLimits } from '@app/isolation';

const MB = 1024 * 1024;

/** What one import may cost. Limits are enforced from outside, by killing the process. */
export interface ImportLimits {
  totalMs: number;
  /** JavaScript heap: a workbook is held in it, one sheet at a time. */
  heapMb: number;
  /** What DuckDB may hold before it writes to disk. */
  duckdbBytes: number;
  /** Resident memory of the process, both together. */
  rssBytes: number;
}

export const DEFAULT_IMPORT_LIMITS: ImportLimits = {
  totalMs: 15 * 60_000,
  heapMb: 768,
  duckdbBytes: 384 * MB,
  rssBytes: 1152 * MB,
};

/** As those who watch the process want them. */
export function toWatchLimits({ totalMs, rssBytes }: ImportLimits): WatchedLimits {
  return { totalMs, rssBytes };
}
