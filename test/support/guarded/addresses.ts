/** v4 addresses that are nobody's business but the deployment's. */
export const PRIVATE_V4 = [
  ['loopback', '127.0.0.1'],
  ['loopback, its far end', '127.255.255.254'],
  ['this host', '0.0.0.0'],
  ['private A', '10.0.0.1'],
  ['private B', '172.16.0.1'],
  ['private B, its end', '172.31.255.255'],
  ['private C', '192.168.1.1'],
  ['link-local: metadata of AWS, Google, Azure, Oracle', '169.254.169.254'],
  ['link-local: credentials of ECS tasks', '169.254.170.2'],
  ['shared (CGNAT)', '100.64.0.1'],
  ['shared (CGNAT): metadata of Alibaba', '100.100.100.200'],
  ['protocol assignments: metadata of Oracle', '192.0.0.192'],
  ['documentation 1', '192.0.2.1'],
  ['documentation 2', '198.51.100.7'],
  ['documentation 3', '203.0.113.9'],
  ['relay of 6to4', '192.88.99.1'],
  ['benchmarks', '198.18.0.1'],
  ['benchmarks, their end', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['multicast, administrative', '239.1.2.3'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['wire server of Azure', '168.63.129.16'],
] as const;

const parts = (address: string) => address.split('.').map(Number) as [number, number, number, number];
const asNumber = (address: string) => parts(address).reduce((sum, part) => sum * 256 + part, 0);
const hex = (value: number) => value.toString(16);
const octal = (value: number) => `0${value.toString(8)}`;
const withDigits = (address: string, zero: number) =>
  address.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** How one and the same v4 address can be written. */
export const WAYS_TO_WRITE: readonly (readonly [string, (address: string) => string])[] = [
  ['plain', (address) => address],
  ['a dot behind', (address) => `${address}.`],
  ['one decimal number', (address) => String(asNumber(address))],
  ['one hexadecimal number', (address) => `0x${hex(asNumber(address))}`],
  ['one octal number', (address) => octal(asNumber(address))],
  [
    'hexadecimal parts',
    (address) =>
      parts(address)
        .map((part) => `0x${hex(part)}`)
        .join('.'),
  ],
  [
    'hexadecimal parts, padded',
    (address) =>
      parts(address)
        .map((part) => `0X0000${hex(part)}`)
        .join('.'),
  ],
  ['octal parts', (address) => parts(address).map(octal).join('.')],
  [
    'octal parts, padded',
    (address) =>
      parts(address)
        .map((part) => `0000${octal(part)}`)
        .join('.'),
  ],
  [
    'three bases mixed',
    (address) => {
      const [a, b, c, d] = parts(address);
      return `0x${hex(a)}.${octal(b)}.${c}.${d}`;
    },
  ],
  [
    'two parts',
    (address) => {
      const [a, b, c, d] = parts(address);
      return `${a}.${b * 65_536 + c * 256 + d}`;
    },
  ],
  [
    'three parts',
    (address) => {
      const [a, b, c, d] = parts(address);
      return `${a}.${b}.${c * 256 + d}`;
    },
  ],
  ['wide digits', (address) => withDigits(address, 0xff10)],
  ['mathematical digits', (address) => withDigits(address, 0x1d7ce)],
  ['ideographic dots', (address) => address.replaceAll('.', '。')],
  ['half-width ideographic dots', (address) => address.replaceAll('.', '｡')],
  ['wide dots', (address) => address.replaceAll('.', '．')],
  ['percent-encoded', (address) => address.replaceAll(/[\d.]/g, (one) => `%${hex(one.charCodeAt(0))}`)],
  ['a zero-width space within', (address) => `${address[0]}\u200b${address.slice(1)}`],
  ['a soft hyphen within', (address) => `${address[0]}\u00ad${address.slice(1)}`],
];

/** Forms of v6 that are private, or that lead to v4 by a translator or a tunnel. */
export const PRIVATE_V6 = [
  ['loopback', '::1'],
  ['loopback at length', '0:0:0:0:0:0:0:1'],
  ['loopback, padded', '0000:0000:0000:0000:0000:0000:0000:0001'],
  ['unspecified', '::'],
  ['mapped v4', '::ffff:127.0.0.1'],
  ['mapped v4 in hexadecimal', '::ffff:7f00:1'],
  ['mapped v4 at length', '0:0:0:0:0:ffff:7f00:0001'],
  ['mapped metadata', '::ffff:169.254.169.254'],
  ['mapped private', '::ffff:10.0.0.1'],
  ['mapped public', '::ffff:93.184.216.34'],
  ['compatible v4', '::127.0.0.1'],
  ['compatible v4 in hexadecimal', '::7f00:1'],
  ['compatible metadata', '::a9fe:a9fe'],
  ['translated v4 (SIIT)', '::ffff:0:127.0.0.1'],
  ['translated v4 (SIIT) in hexadecimal', '::ffff:0:7f00:1'],
  ['NAT64', '64:ff9b::127.0.0.1'],
  ['NAT64 in hexadecimal', '64:ff9b::7f00:1'],
  ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
  ['NAT64 of a public address', '64:ff9b::5db8:d822'],
  ['NAT64 for local use', '64:ff9b:1::7f00:1'],
  ['NAT64 for local use, its end', '64:ff9b:1:ffff:ffff:ffff:127.0.0.1'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['6to4 of metadata', '2002:a9fe:a9fe::'],
  ['6to4 of private', '2002:a00:1::1'],
  ['6to4 of public', '2002:5db8:d822::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  ['Teredo of a local server', '2001:0:7f00:1::'],
  ['benchmarks', '2001:2::1'],
  ['ORCHID', '2001:10::1'],
  ['ORCHID 2', '2001:20::1'],
  ['drone remote ids', '2001:30::1'],
  ['other protocol assignments', '2001:1ff::1'],
  ['documentation', '2001:db8::1'],
  ['documentation, its end', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation 2', '3fff::1'],
  ['documentation 2, its end', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['segment routing', '5f00::1'],
  ['unique local', 'fc00::1'],
  ['unique local, the used half', 'fd12:3456:789a:1::1'],
  ['metadata of AWS', 'fd00:ec2::254'],
  ['name servers of AWS', 'fd00:ec2::253'],
  ['metadata of Google', 'fd20:ce::254'],
  ['metadata of Scaleway', 'fd00:42::42'],
  ['link-local', 'fe80::1'],
  ['link-local metadata', 'fe80::a9fe:a9fe'],
  ['link-local, its end', 'febf::1'],
  ['site-local', 'fec0::1'],
  ['site-local, its end', 'feff::1'],
  ['multicast of this host', 'ff01::1'],
  ['multicast of this link', 'ff02::1'],
  ['multicast, global', 'ff0e::1'],
  ['discard', '100::1'],
  ['dummy prefix', '100:0:0:1::1'],
  ['not handed out: below', '1fff::1'],
  ['not handed out: above', '4000::1'],
] as const;

/** v6 in a way that no address may be written, or that a parser may read in two ways. */
export const ODD_V6 = [
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
  '[::1%25]',
  '[::1',
  '::1]',
  '[[::1]]',
  '[::ffff:0x7f.0.0.1]',
  '[::ffff:127.1]',
  '[0:0:0:0:0:ffff:127.0.0.1.]',
  '[v1.::1]',
  '[127.0.0.1]',
  '[::1]]',
  '[::1].example',
  'example[::1]',
  '[：：1]',
  '[::１]',
];
