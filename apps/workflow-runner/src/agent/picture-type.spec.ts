import { pictureTypeOf } from './picture-type.js';

function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(64);
  head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([5, 0, 5, 0]), Buffer.alloc(40)]);

it.each([
  ['a PNG', png(10, 10), 'image/png'],
  ['a GIF', gif, 'image/gif'],
  ['a page that says that it is a picture', Buffer.from(`<html>${' '.repeat(100)}`), null],
  [
    'a vector picture, which can hold scripts',
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(60)}`),
    null,
  ],
  ['one that unpacks to gigabytes', png(60_000, 60_000), null],
  ['one of no size', png(0, 10), null],
  ['a few bytes', Buffer.from([0x89, 0x50]), null],
  ['nothing', Buffer.alloc(0), null],
  ['more than is shown', Buffer.concat([png(10, 10), Buffer.alloc(5 * 1024 * 1024)]), null],
])('%s', (_, data, type) => {
  expect(pictureTypeOf(data)).toBe(type);
});
