import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** By the address of the file that runs; null where there is none. */
const known = new Map<string, SourceMap | null>();

/**
 * From now on the stacks of errors name the lines of the sources. A map is read when the first error passes through its
 * file; `--enable-source-maps` prepares one for each module of each package as it is loaded, which costs a process some
 * 20 MB.
 */
export function nameSourcesInStacks(): void {
  Error.prepareStackTrace = (error, frames) =>
    [heading(error), ...frames.map((frame) => `    at ${told(frame)}`)].join('\n');
}

/** As V8 begins a stack; what is thrown may be anything that has one. */
function heading(error: Error): string {
  try {
    return String(error);
  } catch {
    return '<error>';
  }
}

function told(frame: NodeJS.CallSite): string {
  const text = frame.toString();
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file || line === null || column === null) return text;
  try {
    const source = sourceOf(file, line, column);
    return source === null ? text : text.replace(`${file}:${line}:${column}`, () => source);
  } catch {
    // A map that says what is no place: an error while an error is told would hide it.
    return text;
  }
}

function sourceOf(file: string, line: number, column: number): string | null {
  const address = file.startsWith('/') ? pathToFileURL(file).href : file;
  const entry = mapOf(address)?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return null;
  const source = new URL(entry.originalSource, address);
  const path = source.protocol === 'file:' ? fileURLToPath(source) : source.href;
  return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function mapOf(address: string): SourceMap | null {
  if (!address.startsWith('file:')) return null;
  let map = known.get(address);
  if (map === undefined) known.set(address, (map = readMap(address)));
  return map;
}

function readMap(address: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${address}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    // There is none, or it is none: the stack names what runs.
    return null;
  }
}
