import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface DnsServer {
  address: string;
  /** TXT records by name; a name that is not there does not exist. */
  records: Map<string, string>;
  /** While set, no question is answered. */
  silent: boolean;
  stop(): Promise<void>;
}

const HEADER_BYTES = 12;
const NO_SUCH_NAME = 0x8183;
const ANSWERED = 0x8180;

function nameIn(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (question[at]! > 0) {
    labels.push(question.toString('ascii', at + 1, at + 1 + question[at]!));
    at += 1 + question[at]!;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function answerTo(query: Buffer, records: Map<string, string>): Buffer {
  const { name, end } = nameIn(query);
  const text = records.get(name);
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(text === undefined ? NO_SUCH_NAME : ANSWERED, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(text === undefined ? 0 : 1, 6);
  const question = query.subarray(HEADER_BYTES, end);
  if (text === undefined) return Buffer.concat([header, question]);
  const data = Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  // A pointer to the question's name, TXT, IN, one minute.
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([header, question, record, data]);
}

/** A name server that knows short TXT records. */
export async function startDns(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const server: DnsServer = {
    address: '',
    records: new Map(),
    silent: false,
    stop: () => new Promise((done) => socket.close(() => done())),
  };
  socket.on('message', (query, { port, address }) => {
    if (!server.silent) socket.send(answerTo(query, server.records), port, address);
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  server.address = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  return server;
}
