import type { Socket } from 'node:net';

const WATCH_MS = 20;
/** Of a database before the first statement. */
export const GREETING_BYTES = 1024 * 1024;

/**
 * Cuts the connection where more bytes arrive than may: drivers hold a row whole, however large it is.
 * @returns what ends the watch, and says whether it had to cut
 */
export function watchBytes(socket: Socket, most: number): () => boolean {
  const atMost = socket.bytesRead + most;
  let isCut = false;
  const watch = setInterval(() => {
    if (socket.bytesRead <= atMost) return;
    isCut = true;
    socket.destroy();
  }, WATCH_MS);
  return () => {
    clearInterval(watch);
    return isCut;
  };
}
