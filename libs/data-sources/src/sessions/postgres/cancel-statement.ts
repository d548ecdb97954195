import { connectSocket } from '../open-socket.js';

const CANCEL_REQUEST = 80_877_102;
const WITHIN_MS = 3000;

/** Which statement: what the database told when it let us in. */
export interface Backend {
  processId: number;
  secretKey: number;
}

/** Asks the database to end what it is doing for us, over a connection of its own. Never throws. */
export async function cancelStatement(
  { address, port }: { address: string; port: number },
  { processId, secretKey }: Backend,
): Promise<void> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(CANCEL_REQUEST, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(secretKey, 12);
  try {
    const socket = await connectSocket(address, port, WITHIN_MS, AbortSignal.timeout(WITHIN_MS));
    socket.setTimeout(WITHIN_MS, () => socket.destroy());
    socket.end(message);
  } catch {
    // Then it ends by its own limit.
  }
}
