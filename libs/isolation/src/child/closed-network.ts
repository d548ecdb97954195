import { Socket as DatagramSocket } from 'node:dgram';
import dns from 'node:dns';
import { Server, Socket } from 'node:net';

// Loaded before the program of a child, in each of its threads. Node's permission model has no switch for the network
// before version 25, so whatever could connect, listen or ask a name server refuses, for good. Native code could still.

function refuse(): never {
  throw new Error('This process has no network.');
}

function close(target: object, names: readonly string[]): void {
  for (const name of names)
    if (name in target) Object.defineProperty(target, name, { value: refuse, writable: false, configurable: false });
}

const namesOf = (target: object) =>
  Object.getOwnPropertyNames(target).filter((name) => /^(lookup|resolve|reverse)/.test(name));

close(Socket.prototype, ['connect']);
close(Server.prototype, ['listen']);
close(DatagramSocket.prototype, ['bind', 'connect', 'send']);
for (const asking of [dns, dns.promises]) {
  close(asking, namesOf(asking));
  let resolver: object | null = asking.Resolver.prototype as object;
  // The methods stand on the class below it.
  for (; resolver && resolver !== Object.prototype; resolver = Object.getPrototypeOf(resolver) as object | null)
    close(resolver, namesOf(resolver));
}
