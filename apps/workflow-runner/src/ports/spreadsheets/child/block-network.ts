import { Socket as DatagramSocket } from 'node:dgram';
import { Socket } from 'node:net';

/**
 * A spreadsheet must not make its reader call out. Node's permission model has no switch for the network before
 * version 25, so the sockets themselves refuse.
 */
export function blockNetwork(): void {
  Socket.prototype.connect = refuse;
  DatagramSocket.prototype.connect = refuse;
  DatagramSocket.prototype.send = refuse;
}

function refuse(): never {
  throw new Error('The reading process has no network.');
}
