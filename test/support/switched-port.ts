import { createServer, connect, type Socket } from 'node:net';

/**
 * A port in front of a server, which can be away as the server itself would be: it then refuses connections.
 * @param delayMs so much later the server hears what is sent to it
 */
export async function switchedPort(target: URL, { delayMs = 0 }: { delayMs?: number } = {}) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy()).on('close', () => (sockets.delete(one), other.destroy()));
      if (delayMs === 0 || one === upstream) one.pipe(other);
      else one.on('data', (sent) => setTimeout(() => other.write(sent), delayMs));
    }
  });
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const close = () => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    for (const socket of sockets) socket.destroy();
    return closed;
  };
  await listen(0);
  const { port } = server.address() as { port: number };
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return { url: url.href, away: close, back: () => listen(port), stop: close, connections: () => sockets.size / 2 };
}
