import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OutsideCall {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
  /** Whether the caller has hung up before the answer. */
  isGone(): boolean;
}

export interface OutsideHost {
  url: string;
  /** `127.0.0.1:<port>`. */
  host: string;
  calls: OutsideCall[];
  callsTo(path: string): OutsideCall[];
  stop(): Promise<void>;
}

/** Somebody else's server, as workflows call it. */
export async function startOutsideHost(
  answer: (call: OutsideCall, response: ServerResponse) => void,
): Promise<OutsideHost> {
  const calls: OutsideCall[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const { method = '', headers } = request;
      let isGone = false;
      response.once('close', () => (isGone = !response.writableEnded));
      const call = { method, url: new URL(request.url ?? '/', 'http://host'), headers, body, isGone: () => isGone };
      calls.push(call);
      answer(call, response);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    calls,
    callsTo: (path) => calls.filter(({ url }) => url.pathname === path),
    stop: () => {
      server.closeAllConnections();
      return new Promise((stopped) => server.close(() => stopped()));
    },
  };
}
