import { ExtractionError } from '../extraction-error.js';

const HEADER_BYTES = 512;
const TABLES_IN_HEADER = 109;
const ENTRY_BYTES = 128;
const SMALL_SECTOR = 64;
const SMALLER_THAN = 4096;
const STORAGE = 1;
const STREAM = 2;
const ROOT = 5;
const ON_THE_WAY = -1;
/** A message within a message within a message …; readers of the file go down by recursion. */
const MAX_DEPTH = 50;

/**
 * Checks that a compound file (OLE: the old format of Office and that of Outlook) holds together, for readers that follow
 * its chains and its tree of names without looking: each chain ends, each entry has one place, and no stream is longer
 * than its chain or the file.
 * @throws ExtractionError `damaged`
 */
export function checkCompoundFile(bytes: Buffer): void {
  new CompoundFile(bytes).check();
}

class CompoundFile {
  private readonly sectorBytes: number;
  private readonly sectors: number;
  private readonly table: Int32Array;
  /** By table: of each sector, how long its chain goes on; 0 where that is not known yet. */
  private readonly lengths = new Map<Int32Array, Int32Array>();

  constructor(private readonly bytes: Buffer) {
    if (bytes.length < HEADER_BYTES * 2) throw damaged();
    const shift = bytes.readUInt16LE(30);
    if ((shift !== 9 && shift !== 12) || bytes.readUInt16LE(32) !== 6) throw damaged();
    this.sectorBytes = 2 ** shift;
    this.sectors = Math.ceil(bytes.length / this.sectorBytes) - 1;
    for (const count of [44, 64, 72]) if (bytes.readUInt32LE(count) > this.sectors) throw damaged();
    this.table = this.joined(this.tableSectors()).subarray(0, this.sectors);
  }

  check(): void {
    const directory = this.chain(this.bytes.readInt32LE(48), this.table);
    const entries = directory.flatMap((sector) => this.entriesIn(sector));
    const root = entries[0];
    if (root?.[66] !== ROOT) throw damaged();
    const start = this.bytes.readInt32LE(60);
    const smallTable = this.joined(start < 0 ? [] : this.chain(start, this.table));
    const holder = root.readInt32LE(116);
    const room = holder < 0 ? 0 : this.chain(holder, this.table).length * this.sectorBytes;
    const smallSectors = smallTable.subarray(0, Math.floor(room / SMALL_SECTOR));
    let total = 0;
    for (const entry of reachable(entries)) {
      const size = entry[66] === STREAM ? entry.readUInt32LE(120) : 0;
      if (size === 0) continue;
      total += size;
      const [table, unit] = size < SMALLER_THAN ? [smallSectors, SMALL_SECTOR] : [this.table, this.sectorBytes];
      if (this.lengthOf(entry.readInt32LE(116), table) * unit < size) throw damaged();
    }
    // Streams that share their sectors would be more than the file when they are read.
    if (total > this.bytes.length * 2) throw damaged();
  }

  /** Where the table of chains itself stands: the first of its sectors are named in the header, the others in a chain. */
  private tableSectors(): number[] {
    const { bytes } = this;
    const found = Array.from({ length: TABLES_IN_HEADER }, (_, n) => bytes.readInt32LE(76 + n * 4));
    let next = bytes.readInt32LE(68);
    for (let left = bytes.readUInt32LE(72); left > 0 && next >= 0; left -= 1) {
      const words = this.joined([next]);
      found.push(...words.subarray(0, -1));
      next = words.at(-1) ?? -1;
    }
    return found.filter((sector) => sector >= 0).slice(0, bytes.readUInt32LE(44));
  }

  /** The sectors one behind the other, as numbers; a last one that is cut off counts as far as it goes. */
  private joined(sectors: number[]): Int32Array {
    const perSector = this.sectorBytes / 4;
    const words = new Int32Array(sectors.length * perSector).fill(-1);
    for (const [n, sector] of sectors.entries()) {
      const from = this.offsetOf(sector);
      for (let word = 0; word < perSector && from + word * 4 + 4 <= this.bytes.length; word += 1)
        words[n * perSector + word] = this.bytes.readInt32LE(from + word * 4);
    }
    return words;
  }

  private offsetOf(sector: number): number {
    if (sector < 0 || sector >= this.sectors) throw damaged();
    return (sector + 1) * this.sectorBytes;
  }

  private chain(start: number, table: Int32Array): number[] {
    const found: number[] = [];
    for (let at = start; at !== -2; at = table[at]!) {
      if (at < 0 || at >= table.length || found.length >= table.length) throw damaged();
      found.push(at);
    }
    return found;
  }

  /** Sectors of a chain to its end. Each sector is passed once however many streams share it, or files could be made that take hours. */
  private lengthOf(start: number, table: Int32Array): number {
    const lengths = this.lengths.get(table) ?? new Int32Array(table.length);
    this.lengths.set(table, lengths);
    const path: number[] = [];
    let at = start;
    for (; at !== -2 && (at < 0 || !(lengths[at]! > 0)); at = table[at]!) {
      if (at < 0 || at >= table.length || lengths[at] === ON_THE_WAY) throw damaged();
      lengths[at] = ON_THE_WAY;
      path.push(at);
    }
    let length = at === -2 ? 0 : lengths[at]!;
    for (const sector of path.toReversed()) lengths[sector] = length += 1;
    return length;
  }

  private entriesIn(sector: number): Buffer[] {
    const from = this.offsetOf(sector);
    const count = Math.floor((Math.min(this.bytes.length, from + this.sectorBytes) - from) / ENTRY_BYTES);
    return Array.from({ length: count }, (_, n) =>
      this.bytes.subarray(from + n * ENTRY_BYTES, from + (n + 1) * ENTRY_BYTES),
    );
  }
}

/** All entries of the tree, each once. @throws ExtractionError when it leads back to itself, nowhere, or too deep */
function reachable(entries: Buffer[]): Buffer[] {
  const seen = new Set<number>([0]);
  const found: Buffer[] = [];
  const open = [{ index: entries[0]!.readInt32LE(76), depth: 1 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { index, depth } = place;
    if (index === -1) continue;
    const entry = entries[index];
    if (entry === undefined || seen.has(index) || depth > MAX_DEPTH) throw damaged();
    seen.add(index);
    found.push(entry);
    open.push({ index: entry.readInt32LE(68), depth }, { index: entry.readInt32LE(72), depth });
    if (entry[66] === STORAGE) open.push({ index: entry.readInt32LE(76), depth: depth + 1 });
  }
  return found;
}

function damaged(): ExtractionError {
  return new ExtractionError('damaged', 'The file is damaged: its parts do not hold together.');
}
