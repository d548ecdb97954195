import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import yauzl, { type Entry, type ZipFile } from 'yauzl';

export interface XmlHandlers {
  /** Names come without their prefix. */
  open?: (name: string, attributes: Record<string, string>) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
  /** After each piece of the file: the next one waits for it. */
  pause?: () => Promise<void>;
}

/** Longer than whatever is looked for in a part. */
const OVERLAP = 12_000;

/** The parts of an XLSX file, which is a zip. Its entries were counted and their sizes checked at the upload. */
export class XlsxParts {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  static async open(path: string): Promise<XlsxParts> {
    const zip = await promised<ZipFile>((done) => yauzl.open(path, { lazyEntries: true, autoClose: false }, done));
    const entries = new Map<string, Entry>();
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName.toLowerCase(), entry);
        zip.readEntry();
      });
      zip.once('end', resolve).once('error', reject);
      zip.readEntry();
    });
    return new XlsxParts(zip, entries);
  }

  close(): void {
    this.zip.close();
  }

  /** Reads a part as it is inflated, if there is one of this name. @returns whether there is */
  async read(name: string, handlers: XmlHandlers): Promise<boolean> {
    const entry = this.entries.get(name.toLowerCase());
    if (!entry) return false;
    const stream = await promised<Readable>((done) => this.zip.openReadStream(entry, done));
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('doctype', () => {
      throw new Error('Workbooks have no document type declarations.');
    });
    const { open, close, text, pause } = handlers;
    if (open) parser.on('opentag', (tag: SaxesTagPlain) => open(localName(tag.name), tag.attributes));
    if (close) parser.on('closetag', (tag: SaxesTagPlain) => close(localName(tag.name)));
    if (text) {
      parser.on('text', text);
      parser.on('cdata', text);
    }
    const decoder = new TextDecoder();
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      parser.write(decoder.decode(chunk, { stream: true }));
      await pause?.();
    }
    parser.write(decoder.decode()).close();
    return true;
  }

  /** Whether a part has what is looked for, in some ten thousand characters; as it stands, in UTF-8. */
  async holds(name: string, wanted: RegExp): Promise<boolean> {
    const entry = this.entries.get(name.toLowerCase());
    if (!entry) return false;
    const stream = await promised<Readable>((done) => this.zip.openReadStream(entry, done));
    let text = '';
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      text = text.slice(-OVERLAP) + chunk.toString('latin1');
      // Leaving the loop ends the stream.
      if (wanted.test(text)) return true;
    }
    return false;
  }

  /** The targets of a part's relations by their ids, as names of parts. */
  async relationsOf(part: string): Promise<Map<string, { target: string; type: string }>> {
    const folder = posix.dirname(part);
    const relations = new Map<string, { target: string; type: string }>();
    await this.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`), {
      open(name, { Id: id = '', Target: target = '', Type: type = '' }) {
        if (name !== 'Relationship') return;
        const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
        relations.set(id, { target: path, type: type.slice(type.lastIndexOf('/') + 1) });
      },
    });
    return relations;
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

function promised<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));
}
