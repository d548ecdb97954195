import { createSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface Canaries {
  /** Of TCP, whatever is spoken on it. */
  port: number;
  udpPort: number;
  /** Connections, even silent ones, and first bytes. */
  hits: string[];
  stop(): Promise<void>;
}

/** What nobody may reach: listeners that note every connection and datagram. */
export async function listenCanaries(): Promise<Canaries> {
  const hits: string[] = [];
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    hits.push('a connection');
    socket.on('data', (bytes) => hits.push(bytes.toString('latin1').slice(0, 80)));
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const udp = createSocket('udp4');
  udp.on('message', (bytes) => hits.push(`a datagram of ${bytes.length} bytes`));
  await Promise.all([
    new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done)),
    new Promise<void>((done) => udp.bind(0, '127.0.0.1', done)),
  ]);
  return {
    port: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    hits,
    async stop() {
      for (const socket of sockets) socket.destroy();
      udp.close();
      await new Promise((done) => tcp.close(done));
    },
  };
}
