import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Hands on what goes to a server, and resets each connection behind so many bytes of what comes back. */
export class CuttingProxy {
  cuts = 0;
  /** Drawn for each connection; Infinity: it is left alone. */
  bytes: () => number = () => Infinity;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));

  constructor(private readonly target: URL) {}

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    const upstream = connect(Number(this.target.port), this.target.hostname);
    let left = this.bytes();
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (piece: Buffer) => {
      if (piece.length < left) {
        left -= piece.length;
        client.write(piece);
        return;
      }
      if (left === 0) return;
      this.cuts += 1;
      client.write(piece.subarray(0, left), () => client.destroy());
      left = 0;
    });
    upstream.on('end', () => client.end());
  }
}
