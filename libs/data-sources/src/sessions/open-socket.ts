import { Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { EgressError, type EgressGuard } from '@app/integrations';
import { SourceFailure } from '../shapes/source-failure.js';
import { type Destination, mayBePlain, ONLY_ENCRYPTED } from '../sources/source-draft.js';

/** Of an address that came to nothing, the next one may answer. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof SourceFailure && error.code === 'source_unavailable' && error.cause instanceof UnreachableAddress;

/** Nobody answers at one of the addresses of a host. */
export class UnreachableAddress extends Error {
  constructor() {
    super('Nobody answers there.');
    this.name = 'UnreachableAddress';
  }
}

export const unreachable = () =>
  new SourceFailure('source_unavailable', 'The database cannot be reached.', new UnreachableAddress());

/**
 * Connects by an address that the guard has checked, one after the other: what was checked is what is connected to, so that
 * a name that changes its mind in between gains nothing.
 * @throws SourceFailure; the signal's reason
 */
export async function openAtAddress<T>(
  destination: Pick<Destination, 'host' | 'port' | 'sslMode'>,
  guard: EgressGuard,
  signal: AbortSignal,
  open: (address: string) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  let failure: unknown;
  try {
    const addresses = await guard.resolve(destination.host, destination.port);
    if (!mayBePlain(destination, guard)) throw new SourceFailure('source_unavailable', ONLY_ENCRYPTED);
    for (const { address } of addresses) {
      try {
        return await open(address);
      } catch (error) {
        failure = error;
        if (!isUnreachable(error)) break;
      }
    }
  } catch (error) {
    failure = error;
  }
  signal.throwIfAborted();
  throw failure instanceof EgressError ? new SourceFailure('source_unavailable', failure.message, failure) : failure;
}

/** A connection to an address. @throws SourceFailure; the signal's reason */
export function connectSocket(address: string, port: number, ms: number, signal: AbortSignal): Promise<Socket> {
  const socket = new Socket();
  return new Promise<Socket>((done, fail) => {
    const late = setTimeout(() => socket.destroy(), ms);
    const abort = () => socket.destroy();
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
      fail(signal.aborted ? (signal.reason as Error) : unreachable());
    });
    // Told by `close`.
    socket.on('error', () => undefined);
    socket.connect({ host: address, port }, () => {
      clearTimeout(late);
      done(socket);
    });
  });
}

/** A certificate is made out to the host that its owner wrote, whatever address it led to. */
export function identityOf(host: string): (name: string, certificate: PeerCertificate) => Error | undefined {
  return (_name, certificate) => checkServerIdentity(host, certificate);
}

/** What is wrong with a certificate, for people; null when something else is. */
export function certificateFailure(error: unknown): SourceFailure | null {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code !== 'string' || !/CERT|SELF_SIGNED|UNABLE_TO|^ERR_(TLS|SSL)|^HANDSHAKE_SSL/.test(code)) return null;
  // One of the drivers writes a code of its own over that of the certificate.
  const told = `${code} ${String(message)}`;
  const say = (words: string) => new SourceFailure('source_unavailable', words, error);
  if (/HAS_EXPIRED|has expired/.test(told)) return say('The certificate of the database has expired.');
  if (/ALTNAME|altnames/.test(told)) return say('The certificate of the database is made out to another name.');
  if (/SELF_SIGNED|UNABLE_TO|self.signed|unable to/.test(told))
    return say('The certificate of the database is not signed by a known authority.');
  return say('The database cannot be talked to with encryption.');
}
