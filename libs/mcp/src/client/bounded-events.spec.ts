import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BoundedEvents } from './bounded-events.js';

const pass = (pieces: string[], maxBytes: number, onId?: () => void) =>
  text(Readable.from(pieces.map((piece) => Buffer.from(piece))).compose(new BoundedEvents(maxBytes, onId)));

describe('BoundedEvents', () => {
  it.each([
    ['events one after the other', ['data: 1234\n\n'.repeat(1000)]],
    ['with the line ends of Windows', ['data: 1234\r\n\r\n'.repeat(1000)]],
    ['byte by byte', [...'data: 1234\n\n'.repeat(100)]],
    ['cut in the middle of an end', ['data: 1234\n', '\ndata: 12', '34\r', '\n', '\r\ndata: 1234\n\n']],
  ])('passes %s, however long in all', async (_, pieces) => {
    expect(await pass(pieces, 20)).toBe(pieces.join(''));
  });

  it.each([
    ['in one line', [`data: ${'x'.repeat(100)}\n\n`]],
    ['in many lines', ['data: x\n'.repeat(20)]],
    ['that never ends', Array.from({ length: 50 }, () => 'x')],
  ])('breaks off at an event too large %s', async (_, pieces) => {
    await expect(pass(pieces, 30)).rejects.toMatchObject({ failure: 'too_large' });
  });

  it('tells of ids', async () => {
    const onId = jest.fn();
    await pass(['event: a\nid: 7\ndata: x\n\n', 'id: 8\n\n', 'data: id: 9\n\n'], 100, onId);
    expect(onId).toHaveBeenCalledTimes(2);
  });
});
