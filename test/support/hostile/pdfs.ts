import { deflateSync } from 'node:zlib';
import { hostile, noise, type HostileFile } from './hostile-file.js';

/** A PDF of these objects, the first of which is its catalogue, with a true cross-reference table. */
function makePdf(objects: (Buffer | string)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let at = parts[0]!.length;
  const push = (bytes: Buffer | string) => {
    const buffer = Buffer.from(bytes as Buffer);
    parts.push(buffer);
    at += buffer.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(at);
    push(`${index + 1} 0 obj\n`);
    push(object);
    push('\nendobj\n');
  }
  const start = at;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  push(
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`,
  );
  return Buffer.concat(parts);
}

const stream = (data: Buffer | string, entries = '') =>
  Buffer.concat([
    Buffer.from(`<</Length ${Buffer.byteLength(data)}${entries}>>\nstream\n`),
    Buffer.from(data as Buffer),
    Buffer.from('\nendstream'),
  ]);

const FONT = '/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';
const CATALOGUE = '<</Type/Catalog/Pages 2 0 R>>';
const page = (contents: number, box = '0 0 600 800') =>
  `<</Type/Page/Parent 2 0 R/MediaBox[${box}]/Contents ${contents} 0 R${FONT}>>`;
const words = (text: string) => `BT /F 12 Tf 50 700 Td (${text}) Tj ET\n`;

const onePage = (contents: Buffer | string, entries = '', box?: string) =>
  makePdf([CATALOGUE, '<</Type/Pages/Kids[3 0 R]/Count 1>>', page(4, box), stream(contents, entries)]);

function manyPages(count: number): Buffer {
  const kids = Array.from({ length: count }, (_, at) => `${at + 4} 0 R`).join(' ');
  const pages = Array.from({ length: count }, () => page(3));
  return makePdf([CATALOGUE, `<</Type/Pages/Kids[${kids}]/Count ${count}>>`, stream(words('A page.')), ...pages]);
}

/** Streams packed in streams: some kilobytes become a gigabyte. */
function packed(times: number, size: number): Buffer {
  let data: Buffer = Buffer.alloc(size, 0x20);
  for (let at = 0; at < times; at++) data = deflateSync(data, { level: 9 });
  return onePage(data, `/Filter[${'/FlateDecode'.repeat(times)}]`);
}

export function hostilePdfs(): HostileFile[] {
  return [
    hostile('pages-100k.pdf', () => manyPages(100_000)),
    hostile('pages-6k.pdf', () => manyPages(6000)),
    hostile('same-page-100k.pdf', () =>
      makePdf([
        CATALOGUE,
        `<</Type/Pages/Kids[${'3 0 R '.repeat(100_000)}]/Count 100000>>`,
        page(4),
        stream(words('x')),
      ]),
    ),
    hostile('count-lies.pdf', () =>
      makePdf([CATALOGUE, '<</Type/Pages/Kids[3 0 R]/Count 2147483647>>', page(4), stream(words('x'))]),
    ),
    hostile('tree-cycle.pdf', () => makePdf([CATALOGUE, '<</Type/Pages/Kids[2 0 R]/Count 9>>'])),
    hostile('tree-deep.pdf', () =>
      makePdf([
        CATALOGUE,
        ...Array.from({ length: 20_000 }, (_, at) => `<</Type/Pages/Kids[${at + 3} 0 R]/Count 1>>`),
        page(20_003),
        stream(words('deep')),
      ]),
    ),
    hostile('bomb-1.pdf', () => packed(1, 400_000_000)),
    hostile('bomb-2.pdf', () => packed(2, 400_000_000)),
    hostile('bomb-3.pdf', () => packed(3, 400_000_000)),
    hostile('operators.pdf', () =>
      onePage(deflateSync(Buffer.from('0 0 m 9 9 l S\n'.repeat(3_000_000))), '/Filter/FlateDecode'),
    ),
    hostile('letters.pdf', () =>
      onePage(deflateSync(Buffer.from(words('word word word').repeat(400_000))), '/Filter/FlateDecode'),
    ),
    hostile('states.pdf', () => onePage('q '.repeat(2_000_000))),
    hostile('arrays.pdf', () => onePage(`${'['.repeat(1_000_000)} 0 Tj`)),
    hostile('dictionaries.pdf', () => makePdf([`<</Type/Catalog/Pages 2 0 R/X ${'<</A '.repeat(100_000)}`, '<<>>'])),
    hostile('huge-page.pdf', () => onePage(words('large'), '', '0 0 100000000 100000000')),
    hostile('negative-page.pdf', () => onePage(words('x'), '', '0 0 -1 NaN')),
    hostile('form-cycle.pdf', () =>
      makePdf([
        CATALOGUE,
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>',
        stream('/X Do '.repeat(1000)),
        stream('/X Do /X Do', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>'),
      ]),
    ),
    hostile('image-huge.pdf', () =>
      makePdf([
        CATALOGUE,
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>',
        stream('600 0 0 800 0 0 cm /X Do'),
        stream(
          deflateSync(Buffer.alloc(200_000_000)),
          '/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode',
        ),
      ]),
    ),
    hostile('previous-loop.pdf', () => makePdf([CATALOGUE, '<</Type/Pages/Kids[]/Count 0>>'], '/Prev 9')),
    hostile('length-lies.pdf', () =>
      makePdf([
        CATALOGUE,
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        page(4),
        '<</Length 2147483647>>\nstream\nBT\nendstream',
      ]),
    ),
    hostile('actions.pdf', () =>
      makePdf([
        '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(while(1);)>>>>',
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        page(4),
        stream(words('x')),
      ]),
    ),
    hostile('launch.pdf', () =>
      makePdf([
        '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(/bin/sh)>>>>',
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        page(4),
        stream(words('x')),
      ]),
    ),
    hostile('encrypt-unknown.pdf', () =>
      makePdf(
        [CATALOGUE, '<</Type/Pages/Kids[3 0 R]/Count 1>>', page(4), stream(words('x'))],
        '/Encrypt<</Filter/Own/V 99>>',
      ),
    ),
    hostile('object-noise.pdf', () => makePdf([CATALOGUE, '<</Type/Pages/Kids[3 0 R]/Count 1>>', noise(200_000, 3)])),
    hostile('updates.pdf', () => Buffer.concat(Array.from({ length: 2000 }, () => onePage(words('again'))))),
    hostile('cross-reference-noise.pdf', () =>
      Buffer.concat([
        onePage(words('x')).subarray(0, -120),
        noise(50_000, 2),
        Buffer.from('startxref\n9999999\n%%EOF'),
      ]),
    ),
  ];
}
