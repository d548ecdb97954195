import type { Duplex } from 'node:stream';

/**
 * What a driver makes of bytes that are no protocol may be an exception, which would end the process: here it ends the
 * connection. To be called before the driver listens.
 */
export function containStream(stream: Duplex): void {
  const emit = stream.emit.bind(stream) as (event: string | symbol, ...args: unknown[]) => boolean;
  stream.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...args);
    try {
      return emit(event, ...args);
    } catch (error) {
      stream.destroy(error as Error);
      return true;
    }
  };
}
