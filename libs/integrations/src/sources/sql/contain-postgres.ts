import type { Duplex } from 'node:stream';
import type { Client } from 'pg';
import { BufferReader } from 'pg-protocol/dist/buffer-reader.js';

/** A message that ends before its fields do was read on and on: the driver looks for an end that is not there. */
const { string } = BufferReader.prototype;
BufferReader.prototype.string = function bounded(this: BufferReader, length: number): string {
  const { buffer, offset } = this as unknown as { buffer: Buffer; offset: number };
  if (offset + length > buffer.length) throw new RangeError('A message of the database ends too early.');
  return string.call(this, length);
};

/**
 * What the driver makes of bytes that are no protocol may be an exception, which would end the process: here it ends the
 * connection. To be called before it connects to somebody's database.
 */
export function containPostgres(client: Client): void {
  const { connection } = client as unknown as { connection: { attachListeners(stream: Duplex): void } };
  const attach = connection.attachListeners.bind(connection);
  // Called for the plain stream or the encrypted one, whichever carries the protocol.
  connection.attachListeners = (stream) => {
    containStream(stream);
    attach(stream);
  };
}

function containStream(stream: Duplex): void {
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
