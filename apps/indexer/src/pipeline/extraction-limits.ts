const MB = 1024 * 1024;

/** What one document may cost. Limits are enforced from outside, by killing the process that reads it. */
export interface ExtractionLimits {
  /** Time of reading, in milliseconds; time spent waiting for `onPage` does not count. */
  totalMs: number;
  /** Longest time without a finished page; formats without pages must be read whole in it. */
  pageMs: number;
  /** JavaScript heap of the reading process. */
  heapMb: number;
  /** Resident memory of the reading process: wasm and native buffers count here. Linux only. */
  rssBytes: number;
  /** How much of it one document may add, and what it may add beyond that for each byte of its own. Linux only. */
  growthBytes: number;
  growthPerByte: number;
  pages: number;
  /** UTF-16 code units of text over all pages. */
  characters: number;
}

export const DEFAULT_EXTRACTION_LIMITS: ExtractionLimits = {
  totalMs: 60 * 60_000,
  pageMs: 90_000,
  heapMb: 512,
  rssBytes: 640 * MB,
  growthBytes: 230 * MB,
  growthPerByte: 3,
  pages: 5_000,
  characters: 50_000_000,
};
