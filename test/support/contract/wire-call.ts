import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface WireRequest {
  method: string;
  /** Path and query as they go over the wire: nothing makes them well-formed. */
  target: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

export interface WireAnswer {
  /** 0 when none came; then `text` says why. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  ms: number;
}

const PATIENCE_MS = 12_000;
/** Streams may stay open; what came by then is judged. */
const LISTEN_MS = 400;

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** One request, byte for byte, as no well-behaved client would send it. */
export function sendRaw(baseUrl: string, { method, target, headers, body }: WireRequest): Promise<WireAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const started = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const settle = (status: number, got: IncomingHttpHeaders, text: string) => {
      clearTimeout(timer);
      resolve({ status, headers: got, text, ms: performance.now() - started });
    };
    const length = body ? { 'content-length': String(body.length) } : {};
    const call = request({ hostname, port, method, path: target, headers: { ...headers, ...length }, agent });
    const timer = setTimeout(() => {
      settle(0, {}, `no answer within ${PATIENCE_MS} ms`);
      call.destroy();
    }, PATIENCE_MS);
    call.on('error', (error) => settle(0, {}, `no answer: ${error.message}`));
    call.on('response', (response) => {
      const finish = () => settle(response.statusCode!, response.headers, Buffer.concat(chunks).toString());
      if (response.headers['content-type']?.startsWith('text/event-stream'))
        setTimeout(() => {
          finish();
          call.destroy();
        }, LISTEN_MS);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', finish);
      response.on('error', (error) => settle(0, {}, `broken off: ${error.message}`));
    });
    call.end(body ?? undefined);
  });
}
