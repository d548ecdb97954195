import { createServer, connect, type Socket } from 'node:net';

/** What PgBouncer knows of a startup message without being told more; anything else it refuses. */
const KNOWN = new Set([
  'user',
  'database',
  'client_encoding',
  'application_name',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'replication',
]);

/**
 * A front of Postgres that refuses startup parameters, and tells of a process and a key of its own making, as PgBouncer
 * does. @returns its address, and what it refused.
 */
export async function startRefusingPooler(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const refused: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => socket.destroy()));
    socket.once('data', (message) => {
      const fields = message.subarray(8).toString('utf8').split('\0');
      const unknown = fields.filter((name, index) => index % 2 === 0 && name !== '' && !KNOWN.has(name.toLowerCase()));
      if (unknown.length > 0) {
        refused.push(...unknown);
        socket.end(errorResponse(`unsupported startup parameter: ${unknown[0]!}`));
        return;
      }
      const upstream = connect(Number(target.port), target.hostname, () => upstream.write(message));
      sockets.add(upstream.on('error', () => socket.destroy()));
      upstream.on('data', (answer) => socket.write(withOwnKey(answer))).on('end', () => socket.end());
      socket.pipe(upstream);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((done) => server.close(() => done()));
  };
  return { url: url.href, refused, stop };
}

/** `BackendKeyData`: twelve bytes, the id of the process first. */
function withOwnKey(answer: Buffer): Buffer {
  const at = answer.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
  if (at >= 0) answer.writeInt32BE(0x7fff_0001, at + 5);
  return answer;
}

function errorResponse(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
