import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type ClamdAddress = { host: string; port: number } | { path: string };

/** Longer than any honest reply. */
const MAX_REPLY_BYTES = 4096;

/**
 * One question to clamd, one reply (`man clamd`, the `z` form of its commands). The request is read no faster than
 * clamd takes it. A reply counts from its NUL on, also when clamd did not want the rest of the request.
 * @throws whatever broke, and the signal's reason
 */
export async function askClamd(
  address: ClamdAddress,
  request: Iterable<Buffer> | AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const socket = connect(address);
  const giveUp = () => socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const reply = readReply(socket);
    // A request that cannot be sent destroys the socket, and thereby ends the wait for the reply.
    void pipeline(Readable.from(request), socket, { end: false }).catch((error: Error) => socket.destroy(error));
    return await reply;
  } finally {
    signal.removeEventListener('abort', giveUp);
    socket.destroy();
  }
}

function readReply(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      reply = Buffer.concat([reply, chunk]);
      const end = reply.indexOf(0);
      if (end !== -1) resolve(reply.toString('utf8', 0, end));
      else if (reply.length > MAX_REPLY_BYTES) reject(new Error('an endless reply'));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed without a reply')));
  });
}
