import { open } from 'node:fs/promises';

const CHUNK = 1024 * 1024;
// Longer than anything that is looked for, so that nothing hides on the border of two chunks.
const OVERLAP = 128;

// In two halves: a scanner that meets the whole string takes this source file for the test virus.
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

export interface ByteScan {
  hasEicar: boolean;
  hasNul: boolean;
  /** Share (0 to 1) of control characters other than tab, line ends, form feed and escape. */
  controlShare: number;
  /** Object and end markers of PDF. */
  hasPdfObject: boolean;
  lastPdfEnd: number;
  /** Offset of the last end-of-archive record of a zip; -1 without one. */
  lastZipEnd: number;
  /** Names of OLE streams found (`WordDocument`, `EncryptedPackage` and so on). */
  oleStreams: ReadonlySet<string>;
}

const OLE_STREAMS = [
  'WordDocument',
  'Workbook',
  'Book',
  'PowerPoint Document',
  'EncryptedPackage',
  'EncryptedSummary',
  '__properties_version1.0',
];
const OLE_ENTRIES = OLE_STREAMS.map((name) => ({ name, bytes: Buffer.from(`${name}\0`, 'utf16le') }));

/** One pass over the whole file in 1 MB steps, gathering what the checks of `inspectUpload` ask. */
export async function scanBytes(path: string): Promise<ByteScan> {
  const streams = new Set<string>();
  const scan = { hasEicar: false, hasNul: false, hasPdfObject: false, lastPdfEnd: -1, lastZipEnd: -1 };
  let controls = 0;
  let total = 0;
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(OVERLAP + CHUNK);
    let kept = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, kept, CHUNK, total);
      if (bytesRead === 0) break;
      const view = buffer.subarray(0, kept + bytesRead);
      const base = total - kept;
      scan.hasEicar ||= view.includes(EICAR, 0, 'latin1');
      scan.hasNul ||= view.includes(0, kept);
      scan.hasPdfObject ||= view.includes(' obj', 0, 'latin1');
      scan.lastPdfEnd = latest(view, '%%EOF', base, scan.lastPdfEnd);
      scan.lastZipEnd = latest(view, 'PK\u0005\u0006', base, scan.lastZipEnd);
      controls += countControls(view.subarray(kept));
      for (const entry of OLE_ENTRIES) if (holdsEntry(view, entry.bytes)) streams.add(entry.name);
      total += bytesRead;
      kept = Math.min(OVERLAP, view.length);
      buffer.copyWithin(0, view.length - kept, view.length);
    }
  } finally {
    await file.close();
  }
  return { ...scan, controlShare: total === 0 ? 0 : controls / total, oleStreams: streams };
}

function latest(view: Buffer, mark: string, base: number, known: number): number {
  const at = view.lastIndexOf(mark, undefined, 'latin1');
  return at === -1 ? known : base + at;
}

function countControls(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) {
    if (byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27) count += 1;
  }
  return count;
}

/**
 * A directory entry of OLE: the name in UTF-16 with its terminator, at 64 bytes its length. What lies between is usually
 * zero, but some programs leave old bytes there.
 */
function holdsEntry(view: Buffer, name: Buffer): boolean {
  for (let at = view.indexOf(name); at !== -1; at = view.indexOf(name, at + 2))
    if (at + 66 <= view.length && view.readUInt16LE(at + 64) === name.length) return true;
  return false;
}
