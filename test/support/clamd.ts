import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.js';

/** What the scanners of the tests take for a virus. Not EICAR, which no upload survives even without a scanner. */
export const TEST_SIGNATURE = 'Atrium-Own-Test-Signature-91f3';
export const TEST_THREAT = 'Atrium.Own.Test.UNOFFICIAL';

/** What can be wrong with a scanner, beside being down. */
export type ClamdFault = 'silent' | 'hangs up' | 'nonsense' | 'endless' | 'half a reply' | 'size limit' | 'never reads';

export interface Clamd {
  port: number;
  /** A Unix socket, where there is one. */
  socket?: string;
  stop(): Promise<void>;
}

const MAX_STREAM_BYTES = 10 * 1024 * 1024;

/** Speaks as much of the protocol of clamd as an adapter needs, and knows one virus. */
export async function startTestClamd(fault?: ClamdFault, port = 0): Promise<Clamd> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that has its answer, or gives up, hangs up as it likes.
    socket.on('error', () => undefined);
    if (fault === 'hangs up') socket.destroy();
    else if (fault !== 'never reads') serve(socket, fault);
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

function serve(socket: Socket, fault: ClamdFault | undefined): void {
  const question = new Question();
  socket.on('data', (chunk: Buffer) => {
    const reply = question.add(chunk);
    if (reply === null) return;
    socket.pause();
    if (fault === undefined) socket.end(`${reply}\0`);
    else misbehave(socket, fault);
  });
}

/** One command with what follows it, in whatever pieces it arrives. */
class Question {
  private unread = Buffer.alloc(0);
  private arrived: Buffer[] = [];
  private unreadBytes = 0;
  /** Before which there is nothing to read. */
  private wantedBytes = 1;
  private isStream = false;
  private size = 0;
  private readonly parts: Buffer[] = [];

  /** The reply, once enough has arrived. */
  add(chunk: Buffer): string | null {
    // Mostly in the middle of a part: put together once it is whole.
    this.arrived.push(chunk);
    this.unreadBytes += chunk.length;
    if (this.unreadBytes < this.wantedBytes) return null;
    this.unread = Buffer.concat(this.arrived);
    const reply = this.read();
    this.arrived = [this.unread];
    this.unreadBytes = this.unread.length;
    return reply;
  }

  private read(): string | null {
    if (!this.isStream) {
      const end = this.unread.indexOf(0);
      if (end === -1) return null;
      const command = this.unread.toString('latin1', 0, end);
      if (command !== 'zINSTREAM') return command === 'zPING' ? 'PONG' : 'UNKNOWN COMMAND';
      this.isStream = true;
      this.unread = this.unread.subarray(end + 1);
    }
    return this.readChunks();
  }

  private readChunks(): string | null {
    this.wantedBytes = 4;
    while (this.unread.length >= 4) {
      const length = this.unread.readUInt32BE();
      if (length === 0) return verdictOn(Buffer.concat(this.parts));
      if (this.size + length > MAX_STREAM_BYTES) return 'INSTREAM size limit exceeded. ERROR';
      if (this.unread.length < 4 + length) {
        this.wantedBytes = 4 + length;
        return null;
      }
      this.parts.push(this.unread.subarray(4, 4 + length));
      this.size += length;
      this.unread = this.unread.subarray(4 + length);
    }
    return null;
  }
}

const verdictOn = (content: Buffer) =>
  content.includes(TEST_SIGNATURE) ? `stream: ${TEST_THREAT} FOUND` : 'stream: OK';

function misbehave(socket: Socket, fault: ClamdFault): void {
  if (fault === 'nonsense') socket.end('stream: OKAY, it seems\0');
  else if (fault === 'half a reply') socket.end('stream: OK');
  else if (fault === 'size limit') socket.end('INSTREAM size limit exceeded. ERROR\0');
  else if (fault === 'endless') socket.write('x'.repeat(100_000));
}

const CLAMD = ['/usr/sbin/clamd', '/usr/local/sbin/clamd', '/opt/homebrew/sbin/clamd'].find((path) => existsSync(path));

/** Whether `startRealClamd` can: Debian's package clamav-daemon is installed. */
export const hasRealClamd = CLAMD !== undefined;

/** The real daemon with one signature of its own, on a port and a Unix socket of the test's own. */
export async function startRealClamd(): Promise<Clamd> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-clamd-'));
  // The daemon gives up root when it is started as root, and then has to reach all this.
  const [database, temporary] = [join(folder, 'db'), join(folder, 'tmp')];
  await Promise.all([database, temporary].map((path) => mkdir(path)));
  const hex = Buffer.from(TEST_SIGNATURE).toString('hex');
  await writeFile(join(database, 'own.ndb'), `${TEST_THREAT.replace('.UNOFFICIAL', '')}:0:*:${hex}\n`);
  const { port, stop: free } = await startTestClamd();
  await free();
  const socket = join(folder, 'clamd.sock');
  const settings = {
    Foreground: 'yes',
    LocalSocket: socket,
    TCPSocket: port,
    TCPAddr: '127.0.0.1',
    DatabaseDirectory: database,
    TemporaryDirectory: temporary,
    StreamMaxLength: MAX_STREAM_BYTES,
    ...(process.getuid?.() === 0 ? { User: 'root' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(join(folder, 'clamd.conf'), lines.join(''));
  const daemon = spawn(CLAMD!, ['--config-file', join(folder, 'clamd.conf')], { stdio: 'ignore' });
  const ended = new Promise((done) => daemon.once('exit', done));
  await until(() => existsSync(socket) || daemon.exitCode !== null);
  return {
    port,
    socket,
    async stop() {
      daemon.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
