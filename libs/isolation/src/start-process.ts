import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readableCode } from './readable-code.js';

/** What a child may do. What is not named it may not: it has no environment, no network, no children of its own. */
export interface ProcessGrants {
  /** The built program, an absolute path. Its own code and packages can always be read. */
  entry: string;
  /** JavaScript heap, MB. */
  heapMb: number;
  /** Files, and folders (ending in `/*`), absolute. */
  read?: readonly string[];
  /** Folders (ending in `/*`), absolute. */
  write?: readonly string[];
  /**
   * Native packages of the program, loaded before it; no other library can be afterwards. Their code stands outside of
   * Node's permissions.
   */
  natives?: readonly string[];
  threads?: boolean;
  /** Bytes of address space, where the system has a way to bound it. */
  addressSpaceBytes?: number;
  /** Let others go first. */
  humble?: boolean;
  /** Further switches of V8, such as `--stack-size=6000`. */
  switches?: readonly string[];
}

/** Starts the program; it is told what to do over its channel (structured clone). */
export function startProcess(grants: ProcessGrants): ChildProcess {
  const {
    entry,
    heapMb,
    read = [],
    write = [],
    natives = [],
    threads,
    addressSpaceBytes,
    humble,
    switches = [],
  } = grants;
  const sealing = findModule('@app/isolation/sealed-child', entry);
  const libraries = natives.map((name) => findModule(name, entry));
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMb}`,
    ...switches,
    '--permission',
    ...[...new Set([...readableCode(sealing), ...readableCode(entry), ...read])].map(
      (path) => `--allow-fs-read=${path}`,
    ),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...(natives.length > 0 ? ['--allow-addons'] : []),
    ...(threads ? ['--allow-worker'] : []),
    // SQLite opens files and loads libraries by statements of its own; a signal must not open a debugger.
    '--no-experimental-sqlite',
    '--disable-sigusr1',
    // The permission model warns of the switches above.
    '--no-warnings',
    `--import=${withTerms(pathToFileURL(sealing), libraries, [...read, ...write])}`,
    entry,
  ];
  const [program, ...args] = addressSpaceBytes === undefined ? node : bounded(node, addressSpaceBytes);
  const child = spawn(program!, args, {
    env: {},
    // A folder without anything but code: Node 24 lets threads read the working folder, whatever was granted.
    cwd: dirname(sealing),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  if (humble && child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

/** Found from the programs at work: tests, compiled to CommonJS, have no `import.meta`. */
function findModule(name: string, entry: string): string {
  const paths = [entry, resolve(process.argv[1] ?? 'index.js')].map(dirname);
  return createRequire(entry).resolve(name, { paths });
}

/** What the seal has to know, in its address: threads get it, too. */
function withTerms(sealing: URL, libraries: readonly string[], data: readonly string[]): string {
  for (const path of libraries) sealing.searchParams.append('library', path);
  for (const path of new Set(data.flatMap((granted) => [granted, whereItIs(granted)])))
    sealing.searchParams.append('data', path);
  return sealing.href;
}

/** Modules are known by their true places. */
function whereItIs(granted: string): string {
  const folder = granted.endsWith('/*') ? granted.slice(0, -2) : null;
  const path = folder ?? granted;
  const real = existsSync(path) ? realpathSync(path) : path;
  return folder === null ? real : `${real}/*`;
}

/** The shell lowers the limit for itself and then becomes the process; where it cannot, memory is only watched. */
function bounded(node: readonly string[], bytes: number): string[] {
  const script = 'ulimit -v "$0" 2>/dev/null; exec "$@"';
  return ['/bin/sh', '-c', script, String(Math.floor(bytes / 1024)), ...node];
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    // The process may be gone already, or the system may forbid it; it works all the same.
    if (!(error instanceof Error)) throw error;
  }
}
