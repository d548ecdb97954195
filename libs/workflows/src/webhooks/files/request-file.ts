/** What became of a file that a call named by its address. */
export interface RequestFile {
  url: string;
  status: 'pending' | 'stored' | 'failed' | 'skipped';
  filename: string | null;
  /** Of the document that it became, in the store of the workflow's owner. */
  documentUid: string | null;
  mimeType: string | null;
  sizeBytes: number | null;
  /** Why it failed or was skipped, for people. */
  error: string | null;
}

export interface PlannedFile {
  position: number;
  url: string;
  state: 'pending' | 'skipped';
  error: string | null;
}

const MAX_URL_LENGTH = 2048;

/** Which of the addresses of a call are fetched. @param limit at most so many. */
export function planFiles(urls: readonly string[], limit: number): PlannedFile[] {
  const seen = new Set<string>();
  return urls.map((url, position) => {
    const error = refusal(url, seen, limit);
    if (error === null) seen.add(url);
    return { position, url: url.slice(0, MAX_URL_LENGTH), state: error === null ? 'pending' : 'skipped', error };
  });
}

function refusal(url: string, seen: ReadonlySet<string>, limit: number): string | null {
  if (limit === 0) return 'This deployment fetches no files.';
  if (url.length > MAX_URL_LENGTH) return 'The address is too long.';
  if (seen.has(url)) return 'The call names this address twice.';
  return seen.size >= limit ? `Only ${limit} files of a call are fetched.` : null;
}
