import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { ExtractionError } from '../extraction-error.js';
import { decodeXml } from './decode-text.js';
import type { MarkupElement } from './markup/element.js';
import type { NoteLook } from './markup/tree-builder.js';
import { parseXml } from './markup/xml-tree.js';

/** More text than this costs more memory than a reading process has. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The parts of a zip-based file. Its entries were counted and their sizes checked at the upload. */
export class Archive {
  private left = MAX_BYTES;

  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** @throws what the archive's reader throws when it is damaged */
  static async open(bytes: Buffer): Promise<Archive> {
    const zip = await promised<ZipFile>((done) => yauzl.fromBuffer(bytes, { lazyEntries: true }, done));
    const entries = new Map<string, Entry>();
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName, entry);
        zip.readEntry();
      });
      zip.once('end', resolve).once('error', reject);
      zip.readEntry();
    });
    return new Archive(zip, entries);
  }

  /** Names of the parts that fit, in the order of the file. */
  names(wanted: RegExp): string[] {
    return [...this.entries.keys()].filter((name) => wanted.test(name));
  }

  /** @returns null when there is none of this name. @throws ExtractionError `too_large` beyond 64 MB in all */
  async read(name: string): Promise<Buffer | null> {
    const entry = this.entries.get(name);
    if (!entry) return null;
    this.left -= entry.uncompressedSize;
    if (this.left < 0)
      throw new ExtractionError('too_large', 'The file holds more than 64 MB of text and markup. Split it.');
    return buffer(await promised<Readable>((done) => this.zip.openReadStream(entry, done)));
  }

  /** A part as it is inflated, of any size; null when there is none of this name. */
  async stream(name: string): Promise<Readable | null> {
    const entry = this.entries.get(name);
    return entry ? promised<Readable>((done) => this.zip.openReadStream(entry, done)) : null;
  }

  /** A part as a tree; null when there is none. */
  async readXml(name: string, skipped?: ReadonlySet<string>, noteLook?: NoteLook): Promise<MarkupElement | null> {
    const bytes = await this.read(name);
    return bytes === null ? null : parseXml(decodeXml(bytes), skipped, noteLook);
  }
}

function promised<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));
}
