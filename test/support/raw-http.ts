import { connect } from 'node:net';

export interface RawReply {
  status: number;
  body: Record<string, unknown>;
}

/**
 * A call with every byte as it is given: clients of others refuse or mend what is wrong in addresses and headers.
 * @param target path and query, one character for each byte; so are the values of `headers`
 */
export function rawCall(
  baseUrl: string,
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): Promise<RawReply> {
  const { hostname, port } = new URL(baseUrl);
  const content = Buffer.from(body);
  const all = { Host: 'x', Connection: 'close', 'Content-Length': String(content.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.concat([head, content])));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString();
      const json = /\{.*\}/s.exec(text.slice(text.indexOf('\r\n\r\n')))?.[0] ?? '{}';
      resolve({ status: Number(text.split(' ')[1]), body: JSON.parse(json) as Record<string, unknown> });
    });
  });
}
