/** What a scanner said of a file. */
export type ScanVerdict = { clean: true } | { clean: false; threat: string };

/** Looks for malicious content in files that came from outside. */
export abstract class Antivirus {
  /** Whether there is a scanner at all. */
  abstract readonly enabled: boolean;

  /**
   * @param path a file of this machine
   * @returns `threat`: the scanner's name for what it found
   * @throws UnavailableError (`scanner_unavailable`) when nobody can tell: the file must not be taken then
   */
  abstract scan(path: string, signal?: AbortSignal): Promise<ScanVerdict>;

  /** @throws UnavailableError */
  abstract health(): Promise<void>;
}
