import { randomBytes } from 'node:crypto';
import { AuditLog } from '@app/audit';
import { ConflictError, InvalidRequestError } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { holdSession } from '../principal/hold-session.js';
import type { Principal } from '../principal/principal.js';
import { Ceremonies } from './ceremonies.js';
import type { Received } from './credential-json.js';
import { PASSKEY_COLUMNS, type PasskeySummary } from './passkeys.js';
import { type NewCredential, type Registrant, Webauthn } from './webauthn.js';

const MOST_PASSKEYS = 10;
const HANDLE_BYTES = 64;

export interface RegistrationAnswer {
  ceremonyId: string | null;
  /** Empty: the name given at the beginning. */
  name: string;
  received: Received<RegistrationResponseJSON> | null;
  /** The client's recovery key, wrapped by the passkey or bare (docs/contract/accounts.md#keys-of-clients). */
  rekWrapped: string | null;
}

const limitReached = () =>
  new ConflictError(`An account can have ${MOST_PASSKEYS} passkeys. Remove one first.`, {
    code: 'passkey_limit_reached',
  });

const failed = () => new InvalidRequestError('The passkey could not be verified.', { code: 'verification_failed' });

/** Adds passkeys to an account. */
@Injectable()
export class PasskeyRegistration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webauthn: Webauthn,
    private readonly ceremonies: Ceremonies,
    private readonly sealing: SealingService,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ConflictError `passkey_limit_reached` */
  async begin(
    { userId }: Principal,
    name: string,
  ): Promise<{ ceremonyId: string; options: PublicKeyCredentialCreationOptionsJSON }> {
    const registrant = await this.registrant(userId);
    if (registrant.known.length >= MOST_PASSKEYS) throw limitReached();
    const { id, challenge } = await this.ceremonies.issueRegistration(userId, name);
    return { ceremonyId: id, options: await this.webauthn.registrationOptions(challenge, registrant) };
  }

  /**
   * @throws InvalidRequestError `ceremony_expired`, `verification_failed`
   * @throws ConflictError `passkey_limit_reached`, `passkey_already_registered`
   */
  async finish(viewer: Principal, { ceremonyId, name, received, rekWrapped }: RegistrationAnswer) {
    if (!received) throw failed();
    const { credential, challenge } = received;
    const ceremony = await this.ceremonies.claimRegistration(viewer.userId, { id: ceremonyId, challenge });
    if (!ceremony)
      throw new InvalidRequestError('The registration has expired. Begin again.', { code: 'ceremony_expired' });
    const verified = await this.webauthn.verifyRegistration(credential, challenge);
    if (!verified) throw failed();
    const passkey = await this.dataSource.transaction((tx) =>
      this.add(viewer, verified, name || ceremony.name, rekWrapped, tx),
    );
    this.principals.announce({ userId: viewer.userId });
    return passkey;
  }

  private async add(
    viewer: Principal,
    credential: NewCredential,
    name: string,
    rekWrapped: string | null,
    tx: EntityManager,
  ): Promise<PasskeySummary> {
    const { userId, username } = viewer;
    await holdSession(tx, viewer);
    const [{ count }] = await tx.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1',
      [userId],
    );
    if (count >= MOST_PASSKEYS) throw limitReached();
    const [passkey] = await tx.query<PasskeySummary[]>(
      `INSERT INTO passkeys (user_id, credential_id, public_key, counter, name, aaguid, transports, device_type, backed_up)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (credential_id) DO NOTHING RETURNING ${PASSKEY_COLUMNS}`,
      [
        userId,
        credential.credentialId,
        credential.publicKey,
        credential.counter,
        name || `Passkey ${count + 1}`,
        credential.aaguid,
        credential.transports,
        credential.deviceType,
        credential.backedUp,
      ],
    );
    if (!passkey)
      throw new ConflictError('This passkey is registered already.', { code: 'passkey_already_registered' });
    if (rekWrapped !== null) await this.keep(rekWrapped, passkey.id, tx);
    const details = { passkey_id: passkey.id, name: passkey.name, aaguid: passkey.aaguid };
    const actor = { userId, username };
    await this.audit.record({ action: 'passkey.registered', actor, target: `user:${userId}`, details }, tx);
    return { ...passkey, hasEncryptionKey: rekWrapped !== null };
  }

  private async keep(rekWrapped: string, passkeyId: number, tx: EntityManager): Promise<void> {
    const place = { table: 'passkeys', column: 'rek_wrapped_sealed', row: passkeyId };
    await tx.query('UPDATE passkeys SET rek_wrapped_sealed = $2 WHERE id = $1', [
      passkeyId,
      this.sealing.seal(rekWrapped, place),
    ]);
  }

  private async registrant(userId: number): Promise<Registrant> {
    // Whoever comes first makes the handle, and everybody else waits for that row and then reads it.
    const [[user]] = await this.dataSource.query<
      [{ handle: Buffer; username: string; first_name: string; last_name: string }[], number]
    >(
      `UPDATE users SET webauthn_handle = coalesce(webauthn_handle, $2) WHERE id = $1
       RETURNING webauthn_handle AS handle, username, first_name, last_name`,
      [userId, randomBytes(HANDLE_BYTES)],
    );
    if (!user) throw new ConflictError('The account is gone.');
    const known = await this.dataSource.query<Registrant['known']>(
      'SELECT credential_id AS id, transports FROM passkeys WHERE user_id = $1 ORDER BY id',
      [userId],
    );
    const displayName = `${user.first_name} ${user.last_name}`.trim() || user.username;
    return { handle: user.handle, username: user.username, displayName, known };
  }
}
