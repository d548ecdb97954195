import { BlockList, isIP } from 'node:net';

const own = new BlockList();
own.addSubnet('127.0.0.0', 8);
own.addSubnet('10.0.0.0', 8);
own.addSubnet('172.16.0.0', 12);
own.addSubnet('192.168.0.0', 16);
own.addAddress('::1', 'ipv6');
own.addSubnet('fc00::', 7, 'ipv6');

/** Whether a host name or address can only be of one's own network, by its spelling; nothing is looked up. */
export function isPrivateAddress(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  const family = isIP(bare);
  if (family !== 0) return own.check(bare, family === 4 ? 'ipv4' : 'ipv6');
  return !bare.includes('.') || /\.(?:local|internal|lan|localhost)$/i.test(bare);
}
