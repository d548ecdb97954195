import { crc32, deflateSync } from 'node:zlib';
import { hostile, noise, type HostileFile } from './hostile-file.js';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function png(width: number, height: number, data: Buffer, more: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const gif = (width: number, height: number, frames: number) => {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.concat([Buffer.from('2c00000000', 'hex'), size, Buffer.from('00020244010000', 'hex')]);
  const palette = Buffer.from('800000000000ffffff', 'hex');
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    palette,
    ...Array.from({ length: frames }, () => frame),
    Buffer.from(';'),
  ]);
};

function tiff(width: number, height: number, next: number): Buffer {
  const bytes = Buffer.alloc(8 + 2 + 3 * 12 + 4);
  bytes.write('II*\u0000', 'latin1');
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(3, 8);
  for (const [at, [tag, value]] of [
    [256, width],
    [257, height],
    [273, 8],
  ].entries()) {
    bytes.writeUInt16LE(tag!, 10 + at * 12);
    bytes.writeUInt16LE(4, 12 + at * 12);
    bytes.writeUInt32LE(1, 14 + at * 12);
    bytes.writeUInt32LE(value!, 18 + at * 12);
  }
  bytes.writeUInt32LE(next, 46);
  return bytes;
}

const jpeg = (width: number, height: number) => {
  const frame = Buffer.from('ffc0000b080000000001011100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), frame, noise(20_000, 4)]);
};

const blank = (width: number, height: number) => deflateSync(Buffer.alloc((width + 1) * height));

export function hostileImages(): HostileFile[] {
  return [
    hostile('claims-50000.png', () => png(50_000, 50_000, deflateSync(Buffer.alloc(1000)))),
    hostile('claims-2-billion.png', () => png(2_147_483_647, 2_147_483_647, deflateSync(Buffer.alloc(10)))),
    hostile('claims-nothing.png', () => png(0, 0, deflateSync(Buffer.alloc(10)))),
    hostile('49-million.png', () => png(9900, 4950, blank(9900, 4950))),
    hostile('line.png', () => png(49_000_000, 1, blank(49_000_000, 1))),
    hostile('column.png', () => png(1, 10_000_000, blank(1, 10_000_000))),
    hostile('noise-16-million.png', () => png(4000, 4000, deflateSync(noise(4001 * 4000), { level: 1 }))),
    hostile('text-bomb.png', () =>
      png(9, 9, blank(9, 9), [
        chunk('zTXt', Buffer.concat([Buffer.from('a\u0000\u0000'), deflateSync(Buffer.alloc(200_000_000))])),
      ]),
    ),
    hostile('profile-bomb.png', () =>
      png(9, 9, blank(9, 9), [
        chunk('iCCP', Buffer.concat([Buffer.from('a\u0000\u0000'), deflateSync(Buffer.alloc(200_000_000))])),
      ]),
    ),
    hostile('too-much-data.png', () => png(9, 9, deflateSync(Buffer.alloc(300_000_000)))),
    hostile('claims-65535.gif', () => gif(65_535, 65_535, 1)),
    hostile('frames-20k.gif', () => gif(2000, 2000, 20_000)),
    hostile('claims-65535.jpg', () => jpeg(65_535, 65_535)),
    hostile('claims-7000.jpg', () => jpeg(7000, 7000)),
    hostile('claims-billion.tiff', () => tiff(1_000_000_000, 1_000_000_000, 0)),
    hostile('loop.tiff', () => tiff(100, 100, 8)),
    hostile('pages.tiff', () => Buffer.concat([tiff(9, 9, 50), noise(100_000, 6)])),
    hostile('svg.png', () => '<svg xmlns="http://www.w3.org/2000/svg" width="1e9" height="1e9"/>'),
  ];
}
