import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTo } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from './certificate.js';

export interface OddDatabase {
  port: number;
  /** Connections that are open. */
  open(): number;
  stop(): Promise<void>;
}

/** Somebody's server that speaks as it likes. */
export async function startOddDatabase(speak: (socket: Socket) => void): Promise<OddDatabase> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Who calls hangs up as they like.
    socket.on('error', () => undefined);
    speak(socket);
    // Who does not read does not hear that the other one left.
    socket.resume();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A Postgres message: its kind, and as long as it says. */
export function message(kind: string, body: Buffer, length = body.length + 4): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 0, 'latin1');
  head.writeInt32BE(length, 1);
  return Buffer.concat([head, body]);
}

const READY = message('Z', Buffer.from('I'));
/** Lets everybody in, and waits. */
export const POSTGRES_GREETING = Buffer.concat([message('R', Buffer.alloc(4)), READY]);

/** A MySQL packet. */
export function packet(sequence: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([body.length & 255, (body.length >> 8) & 255, body.length >> 16, sequence]), body]);
}

export const MYSQL_OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
export const MYSQL_GREETING = packet(
  0,
  Buffer.concat([
    Buffer.from([10]),
    Buffer.from('8.0.40\0'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('abcdefgh\0'),
    Buffer.from([0xff, 0xf7, 0x21, 2, 0, 0xff, 0x81, 21]),
    Buffer.alloc(10),
    Buffer.from('ijklmnopqrst\0'),
    Buffer.from('mysql_native_password\0'),
  ]),
);

/** Writes without end, as fast as it is read. */
export function flood(socket: Socket, chunk = Buffer.alloc(64 * 1024, 'x')): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

/** Encrypts what a Postgres in the clear says, and has no other way to be talked to. */
export function startEncryptedPostgres(target: { host: string; port: number }, own: Certificate): Promise<OddDatabase> {
  const secureContext = createSecureContext({ cert: own.certificate, key: own.key });
  return startOddDatabase((socket) => {
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      const inner = connectTo(target);
      for (const each of [secure, inner]) each.on('error', () => each.destroy());
      secure.pipe(inner).pipe(secure);
      secure.on('close', () => inner.destroy());
      inner.on('close', () => secure.destroy());
    });
  });
}
