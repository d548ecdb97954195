import { BlockList, isIP } from 'node:net';

const special = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special.addSubnet(network, prefix, 'ipv4');
// Looks public, but every machine on Azure reaches its host's wire server there, which hands out settings and secrets.
special.addAddress('168.63.129.16', 'ipv4');
// Within the one block of v6 that is routed: Teredo and other protocol assignments, documentation, 6to4.
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(network, prefix, 'ipv6');

const routed = new BlockList();
routed.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether the address belongs to the public internet. Everything that embeds a v4 address (mapped, NAT64, 6to4,
 * Teredo) counts as not public, and so does an address with a zone.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  if (family === 4) return !special.check(address, 'ipv4');
  return routed.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
