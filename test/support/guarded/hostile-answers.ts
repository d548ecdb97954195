import { createServer, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

export type HostileAnswer = (socket: Socket) => void;

const head = (...lines: string[]) => `HTTP/1.1 ${lines.join('\r\n')}\r\n\r\n`;
const BOMB_BYTES = 64 * 1024 * 1024;

function send(socket: Socket, ...pieces: (string | Buffer)[]): void {
  for (const piece of pieces) socket.write(piece);
}

function forEver(socket: Socket, start: string, piece: string | Buffer, everyMs: number): void {
  socket.write(start);
  const timer = setInterval(() => socket.writableNeedDrain || socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

function packed(encoding: string, pack: (raw: Buffer) => Buffer): HostileAnswer {
  return (socket) => {
    const body = pack(Buffer.alloc(BOMB_BYTES));
    send(socket, head('200 OK', `Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`), body);
  };
}

const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;

/** Answers that must end as an error, in time and without memory: what a client of 500 kB and 1 s makes of them. */
export const HOSTILE_ANSWERS: Readonly<Record<string, HostileAnswer>> = {
  'a bomb of gzip': packed('gzip', (raw) => gzipSync(raw)),
  'a bomb of gzip, called x-gzip': packed('x-gzip', (raw) => gzipSync(raw)),
  'a bomb of deflate': packed('deflate', (raw) => deflateSync(raw)),
  'a bomb of brotli': packed('br', (raw) => brotliCompressSync(raw, { params: { 1: 1 } })),
  'a bomb of zstd': packed('zstd', (raw) => zstdCompressSync(raw)),
  'a bomb packed twice': packed('gzip, gzip', (raw) => gzipSync(gzipSync(raw))),
  'gzip in other letters': packed('GZip', (raw) => gzipSync(raw)),
  'gzip as a transfer encoding': (socket) =>
    send(socket, head('200 OK', 'Transfer-Encoding: gzip, chunked'), '5\r\nhello\r\n'),
  'a declared length of 4 GB': (socket) => send(socket, head('200 OK', 'Content-Length: 4294967296')),
  'a declared length beyond numbers': (socket) =>
    send(socket, head('200 OK', 'Content-Length: 99999999999999999999999999')),
  'a negative length': (socket) => send(socket, head('200 OK', 'Content-Length: -1'), 'x'),
  'two lengths': (socket) => send(socket, head('200 OK', 'Content-Length: 1', 'Content-Length: 2'), 'xx'),
  'a length and chunks': (socket) =>
    send(socket, head('200 OK', 'Content-Length: 3', 'Transfer-Encoding: chunked'), '0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
  'a chunk without end': (socket) =>
    forEver(socket, head('200 OK', 'Transfer-Encoding: chunked') + 'fffffff\r\n', 'x'.repeat(65_536), 1),
  'chunks without end': (socket) => forEver(socket, head('200 OK', 'Transfer-Encoding: chunked'), chunk, 1),
  'a body without end': (socket) => forEver(socket, head('200 OK'), 'x'.repeat(65_536), 1),
  'chunks with endless extensions': (socket) =>
    forEver(socket, head('200 OK', 'Transfer-Encoding: chunked') + '1;', 'x'.repeat(16_384), 1),
  'a size of a chunk that is no number': (socket) =>
    send(socket, head('200 OK', 'Transfer-Encoding: chunked'), 'zz\r\nx\r\n'),
  'trailers without end': (socket) =>
    forEver(socket, head('200 OK', 'Transfer-Encoding: chunked') + '0\r\n', `X-Y: ${'x'.repeat(4096)}\r\n`, 1),
  'a dripping body': (socket) => forEver(socket, head('200 OK', 'Content-Length: 400000'), 'x', 20),
  'dripping chunks': (socket) => forEver(socket, head('200 OK', 'Transfer-Encoding: chunked'), '1\r\nx\r\n', 20),
  'a dripping header': (socket) => forEver(socket, 'HTTP/1.1 200 OK\r\nX-Y: ', 'x', 20),
  'a dripping status': (socket) => forEver(socket, 'HTTP/1.1 200 ', 'O', 20),
  'headers without end': (socket) => forEver(socket, 'HTTP/1.1 200 OK\r\n', `X-Y: ${'x'.repeat(2000)}\r\n`, 1),
  'one huge header': (socket) => send(socket, head('200 OK', `X-Y: ${'x'.repeat(4_000_000)}`)),
  'ten thousand headers': (socket) => send(socket, head('200 OK', ...Array.from({ length: 10_000 }, () => 'a: b'))),
  'interim answers without end': (socket) => forEver(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n', 1),
  'a hundred and no more': (socket) => send(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'another protocol': (socket) =>
    send(socket, head('101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'), 'frames'),
  silence: () => undefined,
  'a line feed': (socket) => send(socket, '\n'),
  'a banner of SSH': (socket) => send(socket, 'SSH-2.0-OpenSSH_9.6\r\n'),
  'an answer of Redis': (socket) => send(socket, '-ERR unknown command\r\n'),
  'a status of words': (socket) => send(socket, 'HTTP/1.1 abc OK\r\n\r\n'),
  'a version of its own': (socket) => send(socket, 'HTTP/9.9 200 OK\r\n\r\n'),
  'a header folded over lines': (socket) => send(socket, 'HTTP/1.1 200 OK\r\nContent-Length:\r\n 1\r\n\r\nx'),
  'a space before the colon': (socket) => send(socket, 'HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\nx'),
  'a zero byte in a header': (socket) => send(socket, 'HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n'),
  'an end in mid-body': (socket) => socket.end(head('200 OK', 'Content-Length: 100') + 'x'),
  'an end in mid-chunk': (socket) => socket.end(head('200 OK', 'Transfer-Encoding: chunked') + '10\r\nx'),
  'a reset in mid-body': (socket) => {
    socket.write(head('200 OK', 'Content-Length: 100') + 'x');
    setTimeout(() => socket.resetAndDestroy(), 20);
  },
  'an end at once': (socket) => socket.end(),
  'a reset at once': (socket) => void socket.resetAndDestroy(),
};

export interface RawHost {
  host: string;
  url: string;
  stop(): Promise<void>;
}

/** Answers each request by what its path names. */
export async function startRawHost(answers: (path: string, socket: Socket, request: string) => void): Promise<RawHost> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined));
    socket.once('close', () => open.delete(socket));
    let seen = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      seen += piece;
      if (!seen.includes('\r\n\r\n')) return;
      const request = seen;
      seen = '';
      answers(decodeURIComponent(request.split(' ')[1] ?? ''), socket, request);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    for (const socket of open) socket.destroy();
    return new Promise<void>((done) => server.close(() => done()));
  };
  return { host, url: `http://${host}`, stop };
}
