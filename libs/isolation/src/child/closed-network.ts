import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { close } from './refusal.js';

const MESSAGE = 'This process has no network.';
const UNUSED_PORT = 9;
const CONNECTING = ['connect', 'connect6', 'bind', 'bind6', 'listen', 'open'];

const asking = (target: object) =>
  Object.getOwnPropertyNames(target).filter((name) => /^(lookup|resolve|reverse|query|getHost)/.test(name));

/**
 * Node's permission model has no switch for the network before version 25, so whatever could connect, listen or ask a
 * name server refuses, for good: the functions that are documented, and the objects below them that scripts can reach.
 */
export function closeNetwork(): void {
  closeHandles();
  close(net.Socket.prototype, ['connect'], MESSAGE);
  close(net.Server.prototype, ['listen', '_listen2'], MESSAGE);
  close(net, ['_createServerHandle'], MESSAGE);
  close(dgram.Socket.prototype, ['bind', 'connect', 'send', 'sendto'], MESSAGE);
  close(dgram, ['_createSocketHandle'], MESSAGE);
  for (const asked of [dns, dns.promises]) {
    close(asked, asking(asked), MESSAGE);
    let resolver: object | null = asked.Resolver.prototype as object;
    // The methods stand on the class below it.
    for (; resolver && resolver !== Object.prototype; resolver = Object.getPrototypeOf(resolver) as object | null)
      close(resolver, asking(resolver), MESSAGE);
  }
}

/** Sockets show the objects that do their work, and those could connect without them. */
function closeHandles(): void {
  for (const handle of [tcpHandle(), pipeHandle(), datagramHandle(), resolverHandle()]) {
    const prototype = Object.getPrototypeOf(handle) as object;
    close(prototype, [...CONNECTING, 'send', 'send6', 'recvStart', ...asking(prototype)], MESSAGE);
  }
}

function tcpHandle(): object {
  const socket = new net.Socket();
  // It would connect in the next turn only.
  socket.connect({ host: '127.0.0.1', port: UNUSED_PORT });
  return takeHandle(socket);
}

function pipeHandle(): object {
  const socket = new net.Socket().on('error', () => undefined);
  socket.connect({ path: '/nonexistent/of-no-one' });
  return takeHandle(socket);
}

function takeHandle(socket: net.Socket): object {
  const handle = valuesOf(socket).find((value) => has(value, 'readStart'));
  socket.destroy();
  return found(handle);
}

function datagramHandle(): object {
  const socket = dgram.createSocket('udp4');
  const handle = valuesOf(socket)
    .flatMap(valuesOf)
    .find((value) => has(value, 'recvStart'));
  socket.close();
  return found(handle);
}

const resolverHandle = () => found(valuesOf(new dns.Resolver()).find((value) => has(value, 'queryA')));

function valuesOf(object: unknown): unknown[] {
  if (typeof object !== 'object' || object === null) return [];
  return Reflect.ownKeys(object).map((key) => (object as Record<PropertyKey, unknown>)[key]);
}

function has(value: unknown, name: string): value is object {
  return typeof value === 'object' && value !== null && name in value;
}

/** A version of Node that keeps them elsewhere must be looked at before it is used. */
function found(handle: object | undefined): object {
  if (!handle) throw new Error('The network of this version of Node could not be closed.');
  return handle;
}
