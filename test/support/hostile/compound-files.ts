import { outlookMessage } from '../../fixtures/documents/make-kinds.js';
import { hostile, type HostileFile } from './hostile-file.js';

const SECTOR = 512;
const END_OF_CHAIN = -2;
/** Offsets within an entry of the directory, which has 128 bytes. */
const ENTRY = 128;
const PREVIOUS = 68;
const NEXT = 72;
const CHILD = 76;
const START = 116;
const SIZE = 120;

const message = () =>
  outlookMessage(
    { '0037001F': 'Tide tables', '1000001F': 'High tide at noon. '.repeat(600), '0C1A001F': 'Ada' },
    { '3001001F': 'Bo', '39FE001F': 'bo@example.org' },
  );

/** A message whose places are known, to write into them what no program would. */
class Compound {
  readonly bytes = message();
  private readonly directory = (this.bytes.readInt32LE(48) + 1) * SECTOR;

  /** Of the entry in the directory: the root is 0. */
  set(entry: number, field: number, value: number): this {
    this.bytes.writeInt32LE(value, this.directory + entry * ENTRY + field);
    return this;
  }

  get(entry: number, field: number): number {
    return this.bytes.readInt32LE(this.directory + entry * ENTRY + field);
  }

  /** Index of the entry of this name. */
  find(name: string): number {
    return (this.bytes.indexOf(Buffer.from(name, 'utf16le'), this.directory) - this.directory) / ENTRY;
  }

  /** What follows this sector in its chain. */
  follow(sector: number, next: number): this {
    const table = (this.bytes.readInt32LE(76) + 1) * SECTOR;
    this.bytes.writeInt32LE(next, table + sector * 4);
    return this;
  }

  header(field: number, value: number): this {
    this.bytes.writeInt32LE(value, field);
    return this;
  }
}

const compound = (name: string, change: (file: Compound) => Compound) =>
  hostile(`${name}.msg`, () => change(new Compound()).bytes);

/** Directories and chains that lead back to themselves, and sizes that no file has. */
export function hostileCompoundFiles(): HostileFile[] {
  const recipient = '__recip_version1.0_#00000000';
  const body = '__substg1.0_1000001F';
  const subject = '__substg1.0_0037001F';
  return [
    compound('own-next', (file) => file.set(file.find(body), NEXT, file.find(body))),
    compound('own-previous', (file) => file.set(file.find(body), PREVIOUS, file.find(body))),
    compound('siblings-loop', (file) =>
      file.set(file.find(body), NEXT, file.find(subject)).set(file.find(subject), NEXT, file.find(body)),
    ),
    compound('own-child', (file) => file.set(file.find(recipient), CHILD, file.find(recipient))),
    compound('child-is-root', (file) => file.set(file.find(recipient), CHILD, 0)),
    compound('no-such-child', (file) => file.set(0, CHILD, 1_000_000)),
    compound('directory-loop', (file) => {
      const first = file.bytes.readInt32LE(48);
      return file.follow(first, first);
    }),
    compound('directory-far-away', (file) => file.header(48, 0x7ffffff0)),
    compound('stream-loop', (file) => {
      const start = file.get(file.find(body), START);
      return file.follow(start, start);
    }),
    compound('small-stream-loop', (file) => {
      const table = (file.bytes.readInt32LE(60) + 1) * SECTOR;
      const start = file.get(file.find(subject), START);
      file.bytes.writeInt32LE(start, table + start * 4);
      return file;
    }),
    compound('container-loop', (file) => {
      const start = file.get(0, START);
      return file.follow(start, start);
    }),
    compound('size-2-gb', (file) => file.set(file.find(body), SIZE, 0x7fffffff)),
    compound('size-negative', (file) => file.set(file.find(body), SIZE, -5)),
    compound('cut-chain', (file) => file.follow(file.get(file.find(body), START), END_OF_CHAIN)),
    compound('tables-without-end', (file) => file.header(44, 0x7fffffff).header(72, 0x7fffffff).header(68, 0)),
    compound('small-tables-without-end', (file) => file.header(64, 0x7fffffff)),
    hostile('rtf-bomb.msg', () => {
      // 17 bytes come of every two, which repeat what came before.
      const pairs = 3_000_000;
      const packed = Buffer.alloc(16 + Math.ceil(pairs / 8) * 17);
      packed.writeUInt32LE(packed.length - 4, 0);
      packed.writeUInt32LE(0x7fffffff, 4);
      packed.write('LZFu', 8, 'latin1');
      for (let at = 16; at < packed.length; at += 17) {
        packed[at] = 0xff;
        for (let pair = 0; pair < 8; pair += 1) packed.writeUInt16BE(0x001f, at + 1 + pair * 2);
      }
      return outlookMessage({ '0037001F': 'Bomb', '10090102': packed }, {});
    }),
    hostile('many-properties.msg', () =>
      outlookMessage(
        Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`${(0x8000 + at).toString(16)}001F`, 'x'])),
        {},
      ),
    ),
  ];
}
