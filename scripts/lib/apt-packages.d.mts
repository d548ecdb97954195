export interface FetchedServer {
  root: string;
  binary: string;
  env: Record<string, string>;
}

export function cacheFolders(fallback: string): string[];
export function fetchedServer(folder: string, name: string, program: string): FetchedServer | null;
export function fetchFromApt(
  folders: string[],
  server: { name: string; title: string; packageName: string; finish?: (root: string) => void },
): Promise<string | null>;
