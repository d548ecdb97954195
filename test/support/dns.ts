import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface HostRecords {
  a?: string[];
  aaaa?: string[];
  /** A chain: the name is an alias of the first, that one of the second, and the last has the addresses. */
  cname?: string[];
}

export interface DnsServer {
  address: string;
  /** TXT records by name; a name that is not there does not exist. */
  records: Map<string, string>;
  /** Addresses by name; of several answers each question of a kind (A, AAAA) uses up one, but for the last. */
  hosts: Map<string, HostRecords[]>;
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

const TYPES = { a: 1, cname: 5, aaaa: 28 } as const;

function v4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function v6Bytes(address: string): Buffer {
  // The parser of addresses writes v4 endings in hexadecimal.
  const [front = '', back] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [first, last] = [groups(front), groups(back ?? '')];
  const bytes = Buffer.alloc(16);
  first.forEach((group, at) => bytes.writeUInt16BE(group, at * 2));
  last.forEach((group, at) => bytes.writeUInt16BE(group, 16 - (last.length - at) * 2));
  return bytes;
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  // Whoever keeps an answer keeps it for no time.
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function hostAnswer(query: Buffer, end: number, host: HostRecords): Buffer {
  const type = query.readUInt16BE(end - 4);
  const answers: Buffer[] = [];
  let owner: Buffer = Buffer.from([0xc0, HEADER_BYTES]);
  for (const alias of host.cname ?? []) {
    answers.push(record(owner, TYPES.cname, nameBytes(alias)));
    owner = nameBytes(alias);
  }
  const found =
    type === TYPES.a ? (host.a ?? []).map(v4Bytes) : type === TYPES.aaaa ? (host.aaaa ?? []).map(v6Bytes) : [];
  answers.push(...found.map((data) => record(owner, type, data)));
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(ANSWERED, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]);
}

/** The answer whose turn it is: that of the first kind that is asked, and of later questions of that kind. */
class Changing {
  private readonly asked = new Map<string, number>();

  next(name: string, type: number, answers: HostRecords[]): HostRecords {
    const key = `${name} ${type}`;
    const turn = this.asked.get(key) ?? 0;
    this.asked.set(key, turn + 1);
    return answers[Math.min(turn, answers.length - 1)] ?? {};
  }
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

/** A name server that knows short TXT records, and addresses. */
export async function startDns(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const server: DnsServer = {
    address: '',
    records: new Map(),
    hosts: new Map(),
    silent: false,
    stop: () => new Promise((done) => socket.close(() => done())),
  };
  const changing = new Changing();
  const answer = (query: Buffer) => {
    const { name, end } = nameIn(query);
    const answers = server.hosts.get(name);
    if (!answers) return answerTo(query, server.records);
    return hostAnswer(query, end, changing.next(name, query.readUInt16BE(end - 4), answers));
  };
  socket.on('message', (query, { port, address }) => {
    if (!server.silent) socket.send(answer(query), port, address);
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  server.address = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  return server;
}
