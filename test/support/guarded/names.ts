import type { HostRecords } from '../dns.js';

const PUBLIC = '93.184.216.34';
const PUBLIC_V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

/** What the name server of somebody hostile says. All of these names must be refused. */
export const HOSTILE_NAMES: Readonly<Record<string, HostRecords>> = {
  'loopback.example': { a: ['127.0.0.1'] },
  'loopback6.example': { aaaa: ['::1'] },
  'both-loopbacks.example': { a: ['127.0.0.1'], aaaa: ['::1'] },
  'zero.example': { a: ['0.0.0.0'] },
  'zero6.example': { aaaa: ['::'] },
  'ten.example': { a: ['10.1.2.3'] },
  'home.example': { a: ['192.168.0.10'] },
  'office.example': { a: ['172.20.0.4'] },
  'cgnat.example': { a: ['100.64.1.1'] },
  'benchmark.example': { a: ['198.18.1.1'] },
  'broadcast.example': { a: ['255.255.255.255'] },
  'multicast.example': { a: ['224.0.0.251'] },
  'metadata.example': { a: ['169.254.169.254'] },
  'metadata6.example': { aaaa: ['fd00:ec2::254'] },
  'wire-server.example': { a: ['168.63.129.16'] },
  'mapped.example': { aaaa: ['::ffff:127.0.0.1'] },
  'mapped-public.example': { aaaa: [`::ffff:${PUBLIC}`] },
  'compatible.example': { aaaa: ['::7f00:1'] },
  'nat64.example': { aaaa: ['64:ff9b::7f00:1'] },
  'nat64-local.example': { aaaa: ['64:ff9b:1::7f00:1'] },
  '6to4.example': { aaaa: ['2002:7f00:1::'] },
  'teredo.example': { aaaa: ['2001:0:7f00:1::'] },
  'ula.example': { aaaa: ['fd12::1'] },
  'link.example': { aaaa: ['fe80::1'] },
  'site.example': { aaaa: ['fec0::1'] },
  'discard.example': { aaaa: ['100::1'] },
  'documentation.example': { aaaa: ['2001:db8::1'] },
  'multicast6.example': { aaaa: ['ff02::1'] },
  'private-first.example': { a: ['127.0.0.1', PUBLIC] },
  'private-last.example': { a: [PUBLIC, '127.0.0.1'] },
  'private-in-the-middle.example': { a: [PUBLIC, '10.0.0.1', '1.1.1.1'] },
  'private-among-twenty.example': {
    a: [...Array.from({ length: 19 }, (_, at) => `93.184.216.${at + 1}`), '127.0.0.1'],
  },
  'public4-private6.example': { a: [PUBLIC], aaaa: ['::1'] },
  'private4-public6.example': { a: ['127.0.0.1'], aaaa: [PUBLIC_V6] },
  'mapped-among-public.example': { a: [PUBLIC], aaaa: [PUBLIC_V6, '::ffff:7f00:1'] },
  'alias.example': { cname: ['loopback.example'], a: ['127.0.0.1'] },
  'alias-of-alias.example': { cname: ['one.example', 'two.example', 'three.example'], a: ['127.0.0.1'] },
  'alias-of-localhost.example': { cname: ['localhost'], a: ['127.0.0.1'] },
  'alias-of-metadata.example': { cname: ['metadata.google.internal'], a: ['169.254.169.254'] },
  'alias-to-both.example': { cname: ['mixed.example'], a: [PUBLIC, '192.168.1.1'] },
  'alias6.example': { cname: ['inside.example'], aaaa: ['fd00::1'] },
  'localtest.me': { a: ['127.0.0.1'] },
  '127.0.0.1.nip.io': { a: ['127.0.0.1'] },
  'app-7f000001.nip.io': { a: ['127.0.0.1'] },
  '169-254-169-254.sslip.io': { a: ['169.254.169.254'] },
  'www.10.0.0.1.xip.example': { a: ['10.0.0.1'] },
  'metadata.google.internal': { a: ['169.254.169.254'] },
  metadata: { a: ['169.254.169.254'] },
  'instance-data': { a: ['169.254.169.254'] },
  'instance-data.ec2.internal': { a: ['169.254.169.254'] },
  'kubernetes.default.svc': { a: ['10.96.0.1'] },
  'host.docker.internal': { a: ['192.168.65.2'] },
  'gateway.docker.internal': { a: ['192.168.65.1'] },
  'router.lan': { a: ['192.168.0.1'] },
  'consul.service.consul': { a: ['10.0.0.9'] },
  'xn--lcalhost-n4a.example': { a: ['127.0.0.1'] },
  'under_score.example': { a: ['127.0.0.1'] },
  [`${'a'.repeat(63)}.example`]: { a: ['127.0.0.1'] },
};

/** Public when asked first, private from then on, and other changes of mind: each is one attempt or none. */
export const CHANGING_NAMES: Readonly<Record<string, HostRecords[]>> = {
  'rebind.example': [{ a: [PUBLIC] }, { a: ['127.0.0.1'] }],
  'rebind6.example': [{ aaaa: [PUBLIC_V6] }, { aaaa: ['::1'] }],
  'rebind-metadata.example': [{ a: [PUBLIC] }, { a: ['169.254.169.254'] }],
  'rebind-to-both.example': [{ a: [PUBLIC] }, { a: [PUBLIC, '127.0.0.1'] }],
  'rebind-by-alias.example': [{ a: [PUBLIC] }, { cname: ['loopback.example'], a: ['127.0.0.1'] }],
  'rebind-backwards.example': [{ a: ['127.0.0.1'] }, { a: [PUBLIC] }],
};

/** Names that lead nowhere. */
export const EMPTY_NAMES: Readonly<Record<string, HostRecords>> = {
  'nothing.example': {},
  'alias-to-nothing.example': { cname: ['gone.example'] },
  'alias-to-itself.example': { cname: ['alias-to-itself.example'] },
  'alias-in-a-ring.example': { cname: ['ring.example', 'alias-in-a-ring.example'] },
};
