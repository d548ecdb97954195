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
  /**
   * How much of it one document may add to a process that is ready to read, and what it may add beyond that for each
   * byte of its own. Linux only.
   */
  growthBytes: number;
  growthPerByte: number;
  /** What it may add beyond that when text is recognised: the engine holds a page in several forms. Linux only. */
  recognitionBytes: number;
  pages: number;
  /** UTF-16 code units of text over all pages. */
  characters: number;
}

export const DEFAULT_EXTRACTION_LIMITS: ExtractionLimits = {
  totalMs: 60 * 60_000,
  pageMs: 180_000,
  heapMb: 512,
  rssBytes: 720 * MB,
  growthBytes: 230 * MB,
  growthPerByte: 3,
  recognitionBytes: 120 * MB,
  pages: 5_000,
  characters: 50_000_000,
};

/** For the second and last try of a document for which the first had too little room. */
export function withMoreRoom(limits: ExtractionLimits): ExtractionLimits {
  return {
    ...limits,
    heapMb: limits.heapMb * 1.5,
    rssBytes: limits.rssBytes * 1.5,
    growthBytes: limits.growthBytes * 1.75,
  };
}
