import { createReadStream } from 'node:fs';
import { UnavailableError } from '@app/common';
import { Antivirus, type ScanVerdict } from './antivirus.port.js';
import { type ClamdAddress, askClamd } from './clamd-protocol.js';

export interface ClamdOptions {
  address: ClamdAddress;
  /** That one scan may take, the wait for a free thread of the scanner included. */
  timeoutSeconds: number;
}

const CHUNK_BYTES = 256 * 1024;
const HEALTH_TIMEOUT_MS = 5000;
const MAX_THREAT_LENGTH = 100;

/** Asks the daemon of ClamAV. Files are sent to it, so that it may run on another machine. */
export class ClamdAntivirus extends Antivirus {
  readonly enabled = true;

  constructor(private readonly options: ClamdOptions) {
    super();
  }

  async scan(path: string, signal?: AbortSignal): Promise<ScanVerdict> {
    const timeout = AbortSignal.timeout(this.options.timeoutSeconds * 1000);
    const reply = await this.ask(frames(path), signal ? AbortSignal.any([signal, timeout]) : timeout);
    if (reply === 'stream: OK') return { clean: true };
    const threat = /^stream: (.+) FOUND$/.exec(reply)?.[1];
    if (threat === undefined) throw unavailable(`clamd said: ${reply.slice(0, 200)}`);
    return { clean: false, threat: threat.replace(/[^\w .:/-]/g, '_').slice(0, MAX_THREAT_LENGTH) };
  }

  async health(): Promise<void> {
    const reply = await this.ask([Buffer.from('zPING\0')], AbortSignal.timeout(HEALTH_TIMEOUT_MS));
    if (reply !== 'PONG') throw unavailable('clamd does not answer PING');
  }

  private async ask(request: Iterable<Buffer> | AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
    try {
      return await askClamd(this.options.address, request, signal);
    } catch (error) {
      throw unavailable(error instanceof Error ? error.message : String(error));
    }
  }
}

/** The command INSTREAM: chunks with their length before them, and an empty one at the end. */
async function* frames(path: string): AsyncGenerator<Buffer> {
  yield Buffer.from('zINSTREAM\0');
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    yield lengthOf(chunk.length);
    yield chunk;
  }
  yield lengthOf(0);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

const unavailable = (reason: string) =>
  new UnavailableError('Files cannot be checked for viruses at the moment. Try again later.', {
    code: 'scanner_unavailable',
    cause: new Error(`The virus scanner failed: ${reason}.`),
  });
