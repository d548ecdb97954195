import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface Certificate {
  certificate: string;
  key: string;
}

export interface CertificateOptions {
  /** Names, and v4 addresses, to which it is made out. */
  hosts: string[];
  /** Until when it is good. */
  until?: Date;
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  return Buffer.concat([Buffer.from([tag, 0x82, body.length >> 8, body.length & 255]), body]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, '')}`));

const SHA256_WITH_RSA = sequence(oid('2a864886f70d01010b'), der(0x05));
const DAY_MS = 86_400_000;

/** A certificate that nobody but itself has signed (RFC 5280), with its key, as PEM. */
export function selfSigned({ hosts, until = new Date(Date.now() + DAY_MS) }: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(`atrium test ${hosts[0] ?? ''}`)))));
  const names = hosts.map((host) =>
    isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  );
  const extensions = [
    sequence(oid('551d11'), der(0x04, sequence(...names))),
    sequence(oid('551d13'), der(0x01, Buffer.from([255])), der(0x04, sequence(der(0x01, Buffer.from([255]))))),
  ];
  const contents = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(15)),
    SHA256_WITH_RSA,
    name,
    sequence(time(new Date(Date.now() - 30 * DAY_MS)), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', contents, privateKey));
  const lines =
    sequence(contents, SHA256_WITH_RSA, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
