import { randomBytes } from 'node:crypto';
import { newId } from '@app/common';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';

export const CEREMONY_SECONDS = 300;
const CHALLENGE_BYTES = 32;
const PURGE_SECONDS = 300;

export interface IssuedCeremony {
  id: string;
  challenge: Buffer;
}

/** How an answer names its ceremony: by id, or by the challenge alone. */
export interface CeremonyReference {
  id: string | null;
  challenge: string;
}

/** The challenges of registrations and sign-ins: each serves once (docs/contract/accounts.md#passkeys). */
@Injectable()
export class Ceremonies implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('webauthn-ceremonies', PURGE_SECONDS, () => this.purge());
  }

  issueRegistration(userId: number, name: string): Promise<IssuedCeremony> {
    return this.issue('register', userId, name);
  }

  issueSignIn(): Promise<IssuedCeremony> {
    return this.issue('login', null, '');
  }

  /**
   * Takes the user's ceremony for good, whatever becomes of the answer.
   * @returns the name that the passkey was to have; null when it is unknown, used, expired or somebody else's
   */
  claimRegistration(userId: number, reference: CeremonyReference): Promise<{ name: string } | null> {
    return this.claim('register', userId, reference);
  }

  /** @returns null when it is unknown, used or expired */
  claimSignIn(reference: CeremonyReference): Promise<object | null> {
    return this.claim('login', null, reference);
  }

  /** Deletes those that can serve no more. */
  async purge(): Promise<void> {
    await this.dataSource.query('DELETE FROM webauthn_ceremonies WHERE expires_at < now()');
  }

  private async issue(kind: 'register' | 'login', userId: number | null, name: string): Promise<IssuedCeremony> {
    const [id, challenge] = [newId(), randomBytes(CHALLENGE_BYTES)];
    await this.dataSource.query(
      `INSERT INTO webauthn_ceremonies (id, kind, user_id, challenge, name, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [id, kind, userId, challenge.toString('base64url'), name, CEREMONY_SECONDS],
    );
    return { id, challenge };
  }

  private async claim(
    kind: 'register' | 'login',
    userId: number | null,
    { id, challenge }: CeremonyReference,
  ): Promise<{ name: string } | null> {
    // With an id, another challenge uses the ceremony up as well: it was an attempt at it.
    const [column, value] = id === null ? ['challenge', challenge] : ['id', id];
    const [[taken]] = await this.dataSource.query<[{ name: string; challenge: string }[], number]>(
      `UPDATE webauthn_ceremonies SET consumed_at = now()
       WHERE ${column} = $1 AND kind = $2 AND user_id IS NOT DISTINCT FROM $3
         AND consumed_at IS NULL AND expires_at > now()
       RETURNING name, challenge`,
      [value, kind, userId],
    );
    return taken?.challenge === challenge ? taken : null;
  }
}
