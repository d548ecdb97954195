import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MetadataStore } from '../metadata/metadata.store.js';
import { openEnvelope, sealEnvelope } from './recovery-envelope.js';
import { Turnstile } from './turnstile.js';

const UNDER_PASSWORD = 'rek_password_encrypted';
const UNDER_RECOVERY_CODE = 'rek_recovery_encrypted';
/** Derivations are meant to be slow: two at a time, so that other requests go on. */
const AT_ONCE = 2;
const MAY_WAIT = 50;

/** A recovery key that opened, and what it was found in: it must still stand there when it is used. */
export interface OpenedKey {
  key: Buffer;
  metadataId: string;
  envelope: unknown;
}

/** The recovery keys of clients, as far as the server may see them (docs/contract/accounts.md#keys-of-clients). */
@Injectable()
export class RecoveryKeys {
  private readonly turnstile = new Turnstile(AT_ONCE, MAY_WAIT);

  constructor(
    private readonly dataSource: DataSource,
    private readonly metadata: MetadataStore,
    private readonly sealing: SealingService,
  ) {}

  /** Opens the newest recovery envelope. @returns null when the code is wrong or there is none, after the same work */
  async open(userId: number | null, recoveryCode: string): Promise<OpenedKey | null> {
    const newest = userId === null ? undefined : (await this.metadata.list(userId, UNDER_RECOVERY_CODE)).at(-1);
    const envelope = newest?.data[UNDER_RECOVERY_CODE] ?? null;
    const key = await this.turnstile.pass(() => openEnvelope(envelope, recoveryCode));
    return key && newest ? { key, metadataId: newest.id, envelope } : null;
  }

  /** @returns false when the envelope was changed or removed since it opened */
  async stillStands(userId: number, opened: OpenedKey, tx: EntityManager): Promise<boolean> {
    const newest = (await this.metadata.list(userId, UNDER_RECOVERY_CODE, tx)).at(-1);
    return (
      newest?.id === opened.metadataId &&
      JSON.stringify(newest.data[UNDER_RECOVERY_CODE]) === JSON.stringify(opened.envelope)
    );
  }

  /** The envelope of the key under a password: costly, so make it before the transaction. */
  wrap(key: Buffer, password: string): Promise<Record<string, unknown>> {
    return this.turnstile.pass(() => sealEnvelope(key, password));
  }

  /** Replaces the account's envelope under its password. */
  store(userId: number, envelope: Record<string, unknown>, tx: EntityManager): Promise<void> {
    return this.metadata.setKey(userId, UNDER_PASSWORD, envelope, tx);
  }

  /** The key that a passkey or a linked provider keeps in escrow: a bare one of 32 bytes; an opaque one is the client's. */
  async findEscrowed(userId: number): Promise<Buffer | null> {
    for (const table of ['passkeys', 'sso_identities']) {
      const rows = await this.dataSource.query<{ id: number; rek_wrapped_sealed: Buffer }[]>(
        `SELECT id, rek_wrapped_sealed FROM ${table}
         WHERE user_id = $1 AND rek_wrapped_sealed IS NOT NULL ORDER BY id DESC`,
        [userId],
      );
      for (const { id, rek_wrapped_sealed } of rows) {
        const place = { table, column: 'rek_wrapped_sealed', row: id };
        const text = this.sealing.openText(rek_wrapped_sealed, place);
        if (/^[A-Za-z0-9_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64url');
      }
    }
    return null;
  }
}
