import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const UP = 0x01;
const UV = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED = 0x40;

export interface CreationOptions {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  excludeCredentials: { id: string }[];
}

export interface RequestOptions {
  challenge: string;
  rpId: string;
}

/** What an authenticator or a browser may get wrong, or lie about. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  /** Whether the user was verified; true unless told. */
  verified?: boolean;
  type?: string;
  crossOrigin?: boolean;
  counter?: number;
  userHandle?: string | null;
  /** Signs with a key of its own. */
  forged?: boolean;
  /** An attestation statement in place of none. */
  attestation?: { fmt: string; statement: Map<string, unknown> };
}

export interface SoftwareCredential {
  id: string;
  userHandle: string;
  counter: number;
  /** Whether it is synchronised between devices. */
  synchronised: boolean;
  privateKey: KeyObject;
  x: Buffer;
  y: Buffer;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const cbor = (value: unknown) => Buffer.from(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]));

/** An authenticator and its browser in one, for ES256: the protocol without either. */
export class SoftwareAuthenticator {
  constructor(private readonly origin: string) {}

  newCredential(userHandle: string, { synchronised = false, id = randomBytes(32) } = {}): SoftwareCredential {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const [xBytes, yBytes] = [x, y].map((part) => Buffer.from(part ?? '', 'base64url')) as [Buffer, Buffer];
    const counter = synchronised ? 0 : 1;
    return { id: id.toString('base64url'), userHandle, counter, synchronised, privateKey, x: xBytes, y: yBytes };
  }

  /** The answer to `navigator.credentials.create()`. */
  register(options: CreationOptions, credential: SoftwareCredential, deviation: Deviation = {}) {
    const id = Buffer.from(credential.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Uint8Array.from(credential.x)],
      [-3, Uint8Array.from(credential.y)],
    ]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, cbor(key)]);
    const authData = Buffer.concat([this.data(options.rp.id, credential, ATTESTED, deviation), attested]);
    const { fmt = 'none', statement = new Map() } = deviation.attestation ?? {};
    const attestation = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', statement],
      ['authData', Uint8Array.from(authData)],
    ]);
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key',
      response: {
        clientDataJSON: this.clientData('webauthn.create', options.challenge, deviation).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
      clientExtensionResults: { credProps: { rk: true } },
    };
  }

  /** The answer to `navigator.credentials.get()`; counts on unless the deviation says where it stands. */
  signIn(options: RequestOptions, credential: SoftwareCredential, deviation: Deviation = {}) {
    if (!credential.synchronised) credential.counter = deviation.counter ?? credential.counter + 1;
    const clientData = this.clientData('webauthn.get', options.challenge, deviation);
    const authenticatorData = this.data(options.rpId, credential, 0, deviation);
    const { privateKey } = deviation.forged ? this.newCredential('') : credential;
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey);
    const userHandle = deviation.userHandle === undefined ? credential.userHandle : deviation.userHandle;
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key',
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
        ...(userHandle === null ? {} : { userHandle }),
      },
      clientExtensionResults: {},
    };
  }

  private clientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = this.origin, crossOrigin = false } = deviation;
    return Buffer.from(JSON.stringify({ type: deviation.type ?? type, challenge, origin, crossOrigin }));
  }

  private data(rpId: string, credential: SoftwareCredential, more: number, deviation: Deviation): Buffer {
    const verified = deviation.verified === false ? 0 : UV;
    const backup = credential.synchronised ? BACKUP_ELIGIBLE | BACKED_UP : 0;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(deviation.counter ?? credential.counter);
    return Buffer.concat([sha256(deviation.rpId ?? rpId), Buffer.from([UP | verified | backup | more]), counter]);
  }
}
