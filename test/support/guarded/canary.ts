import { createServer, type Server, Socket } from 'node:net';

export interface Canary {
  /** Connections that anybody made. */
  hits: number;
  /** Ports on which it listens, on all addresses of this machine. */
  ports: number[];
  stop(): Promise<void>;
}

function listen(port: number, host: string, onHit: () => void): Promise<Server | null> {
  const server = createServer((socket) => {
    onHit();
    socket.on('error', () => undefined).destroy();
  });
  return new Promise((done) => {
    server.once('error', () => done(null));
    server.listen({ port, host, exclusive: true, ipv6Only: host === '::' }, () => done(server));
  });
}

/** Listens where the guard lets nobody but itself stand in the way: on the ports that may be called outside. */
export async function startCanary(): Promise<Canary> {
  const canary: Canary = { hits: 0, ports: [], stop: async () => undefined };
  const servers: Server[] = [];
  for (const port of [443, 8443, 80])
    for (const host of ['0.0.0.0', '::']) {
      const server = await listen(port, host, () => (canary.hits += 1));
      if (server) servers.push(server);
      if (server && host === '0.0.0.0') canary.ports.push(port);
    }
  if (!canary.ports.includes(8443)) throw new Error('Something else listens on port 8443.');
  canary.stop = async () => {
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  };
  return canary;
}

/** Every connection that this process tries to make, as the system is asked for it: `address:port`. */
export function watchConnections(): { attempts: string[]; stop(): void } {
  const attempts: string[] = [];
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function watched(this: Socket, ...given: unknown[]) {
    if (this.listenerCount('connectionAttempt') === 0)
      this.on('connectionAttempt', (address: string, port: number) => attempts.push(`${address}:${port}`));
    return (connect as (...values: unknown[]) => Socket).apply(this, given);
  } as typeof connect;
  return { attempts, stop: () => void (Socket.prototype.connect = connect) };
}
