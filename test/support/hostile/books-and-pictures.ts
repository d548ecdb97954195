import { bookParts } from '../../fixtures/documents/make-kinds.js';
import { makeZip, type ZipPart } from '../../fixtures/documents/make-zip.js';
import { hostile, noise, type HostileFile } from './hostile-file.js';

const book = (name: string, parts: () => ZipPart[]) => hostile(`${name}.epub`, () => makeZip(parts()));
const replaced = (name: string, content: string) => () =>
  bookParts({ one: '<p>Words</p>' }, ['one']).map((part) => (part.name === name ? { ...part, data: content } : part));
const container = 'META-INF/container.xml';
const root = (path: string) => `<container><rootfiles><rootfile full-path="${path}"/></rootfiles></container>`;

export function books(): HostileFile[] {
  return [
    book('scripts', () => bookParts({ one: '<script>while(1){}</script><p onclick="x()">Words</p>' }, ['one'])),
    book('frames', () =>
      bookParts({ one: '<iframe src="file:///etc/passwd"/><object data="/etc/passwd"/><p>W</p>' }, ['one']),
    ),
    book('remote', () => bookParts({ one: '<link href="http://127.0.0.1:9/a.css"/><p>Words</p>' }, ['one'])),
    book('outside-chapters', () =>
      bookParts(
        {},
        [],
        [
          '../../../../etc/passwd',
          '/etc/passwd',
          'file:///etc/passwd',
          'http://127.0.0.1:9/a',
          '%2e%2e/%2e%2e/x',
          '%E0%A4%A',
        ],
      ),
    ),
    book('outside-package', replaced(container, root('../../../../etc/passwd'))),
    book('no-package', replaced(container, root(''))),
    book('package-is-chapter', replaced(container, root('OEBPS/text/one.xhtml'))),
    book('entity', replaced(container, `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${root('&x;')}`)),
    book('same-chapter', () =>
      bookParts(
        { one: '<p>Words</p>' },
        Array.from({ length: 200_000 }, () => 'one'),
      ),
    ),
    book('many-chapters', () => {
      const names = Array.from({ length: 6000 }, (_, n) => `c${n}`);
      return bookParts(Object.fromEntries(names.map((name) => [name, '<p>Words</p>'])), names);
    }),
    book('deep', () => bookParts({ one: '<div>'.repeat(1_000_000) }, ['one'])),
  ];
}

const header = (width: number, height: number, bits: number, compression: number, more: Buffer = Buffer.alloc(0)) => {
  const head = Buffer.alloc(54);
  head.write('BM', 'latin1');
  for (const [at, value] of [
    [2, 54 + more.length],
    [10, 54],
    [14, 40],
    [18, width],
    [22, height],
    [30, compression],
  ] as const)
    head.writeInt32LE(value, at);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(bits, 28);
  return Buffer.concat([head, more]);
};
const picture = (name: string, ...of: Parameters<typeof header>) => hostile(`${name}.bmp`, () => header(...of));

export function pictures(): HostileFile[] {
  return [
    picture('claims-2-billion', 2_147_483_647, 2_147_483_647, 24, 0),
    picture('claims-negative', -5000, -5000, 24, 0),
    picture('claims-nothing', 0, 0, 24, 0),
    picture('upside-down-large', 2_000_000, -2_000_000, 24, 0),
    picture('49-million', 7000, 7000, 24, 0),
    picture('cut', 100, 100, 24, 0, noise(200)),
    picture('odd-bits', 100, 100, 77, 0, noise(30_000)),
    picture('runs', 5000, 5000, 8, 1, noise(300_000)),
    picture('runs-of-four', 5000, 5000, 4, 2, noise(300_000)),
    picture('runs-without-end', 5000, 5000, 8, 1, Buffer.alloc(2_000_000)),
    hostile('data-far-away.bmp', () => {
      const bytes = header(10, 10, 24, 0, noise(300));
      bytes.writeUInt32LE(0xfffffff0, 10);
      return bytes;
    }),
    hostile('head-only.bmp', () => 'BM'),
  ];
}

export function manuals(): HostileFile[] {
  return [
    hostile('include.rst', () => 'Manual\n======\n\n.. include:: /etc/passwd\n\n.. literalinclude:: /etc/passwd\n'),
    hostile(
      'raw.rst',
      () => 'Text\n\n.. raw:: html\n   :file: /etc/passwd\n\n.. csv-table::\n   :url: http://127.0.0.1:9/\n',
    ),
    hostile('substitutions.rst', () => '|a| '.repeat(500_000)),
    hostile('lines.rst', () => `${'='.repeat(3_000_000)}\n`.repeat(3)),
  ];
}
