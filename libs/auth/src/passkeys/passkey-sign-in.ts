import { timingSafeEqual } from 'node:crypto';
import { InvalidRequestError } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { DataSource } from 'typeorm';
import { Ceremonies } from './ceremonies.js';
import type { Received } from './credential-json.js';
import { SuspectedClones } from './suspected-clones.js';
import { type Assertion, Webauthn } from './webauthn.js';

export interface ProvenPasskey {
  userId: number;
  /** What the client gave at registration to be handed back at sign-in. */
  encryptionKey: string | null;
}

type Known = { id: number; public_key: Buffer; handle: Buffer | null };
type Used = { user_id: number; rek_wrapped_sealed: Buffer | null };

/** Finds the account that a passkey proves, without being told whose it is (docs/contract/accounts.md#passkeys). */
@Injectable()
export class PasskeySignIn {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webauthn: Webauthn,
    private readonly ceremonies: Ceremonies,
    private readonly clones: SuspectedClones,
    private readonly sealing: SealingService,
  ) {}

  async begin(): Promise<{ ceremonyId: string; options: PublicKeyCredentialRequestOptionsJSON }> {
    const { id, challenge } = await this.ceremonies.issueSignIn();
    return { ceremonyId: id, options: await this.webauthn.signInOptions(challenge) };
  }

  /** @throws InvalidRequestError `passkey_not_recognised`, the same whatever is wrong */
  async verify(
    ceremonyId: string | null,
    received: Received<AuthenticationResponseJSON> | null,
  ): Promise<ProvenPasskey> {
    const proven = received && (await this.prove(ceremonyId, received));
    if (!proven) throw new InvalidRequestError('The passkey was not recognised.', { code: 'passkey_not_recognised' });
    return proven;
  }

  private async prove(
    ceremonyId: string | null,
    { credential, challenge }: Received<AuthenticationResponseJSON>,
  ): Promise<ProvenPasskey | null> {
    if (!(await this.ceremonies.claimSignIn({ id: ceremonyId, challenge }))) return null;
    const known = await this.find(credential.id);
    if (!known?.handle || !isHandle(credential.response.userHandle, known.handle)) return null;
    const assertion = await this.webauthn.verifyAssertion(credential, challenge, known.public_key);
    if (!assertion) return null;
    const used = await this.use(known.id, assertion);
    if (!used) {
      await this.clones.suspect(known.id);
      return null;
    }
    const place = { table: 'passkeys', column: 'rek_wrapped_sealed', row: known.id };
    const sealed = used.rek_wrapped_sealed;
    return { userId: used.user_id, encryptionKey: sealed && this.sealing.openText(sealed, place) };
  }

  private async find(credentialId: string): Promise<Known | null> {
    const [known] = await this.dataSource.query<Known[]>(
      `SELECT p.id, p.public_key, u.webauthn_handle AS handle FROM passkeys p JOIN users u ON u.id = p.user_id
       WHERE p.credential_id = $1 AND p.suspected_clone_at IS NULL`,
      [credentialId],
    );
    return known ?? null;
  }

  /**
   * Moves the counter on. Keys that are synchronised between devices count badly or not at all, so only one that
   * lives on a single device must have counted on since its last use; one that never counts stays at 0.
   */
  private async use(id: number, { counter, backedUp }: Assertion): Promise<Used | null> {
    const [[used]] = await this.dataSource.query<[Used[], number]>(
      `UPDATE passkeys SET counter = greatest(counter, $2), backed_up = $3, last_used_at = now()
       WHERE id = $1 AND suspected_clone_at IS NULL
         AND (counter < $2 OR (counter = 0 AND $2 = 0) OR device_type = 'multiDevice')
       RETURNING user_id, rek_wrapped_sealed`,
      [id, counter, backedUp],
    );
    return used ?? null;
  }
}

function isHandle(given: string | undefined, handle: Buffer): boolean {
  const bytes = Buffer.from(given ?? '', 'base64url');
  return bytes.length === handle.length && timingSafeEqual(bytes, handle);
}
