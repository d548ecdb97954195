import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Between an app and its server: can be absent, fall silent as a frozen server does, or cut every connection. */
export class Wire {
  private readonly pairs = new Set<[Socket, Socket]>();
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param address of the server @param near the port to listen on; 0 for any */
  static async to(address: string, near = 0): Promise<Wire> {
    const { hostname: host, port: far } = new URL(address);
    const server = createServer((client) => {
      const upstream = connect(Number(far), host);
      const pair: [Socket, Socket] = [client, upstream];
      wire.pairs.add(pair);
      for (const [from, into] of [pair, [upstream, client]] as const) {
        from.on('data', (bytes) => into.write(bytes));
        from.on('error', () => into.destroy());
        from.on('close', () => {
          wire.pairs.delete(pair);
          into.destroy();
        });
      }
    });
    await new Promise<void>((done) => server.listen(near, '127.0.0.1', done));
    const wire = new Wire(server, (server.address() as AddressInfo).port);
    return wire;
  }

  /** The server's address with this wire in between. */
  through(address: string): string {
    const url = new URL(address);
    url.host = `127.0.0.1:${this.port}`;
    return url.toString();
  }

  /** The connections that exist say nothing more; new ones work, as after a failover. */
  freeze(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  close(): void {
    this.server.close();
    this.cut();
  }
}
