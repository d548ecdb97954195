import { ErasureRegistry } from '@app/erasure';
import { FileStorage } from '@app/integrations';
import { Messages } from '@app/messages';
import { type Claim, type Param, WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { streamArchive } from './export-archive.js';
import type { ClaimedExport } from './export-work.js';
import { KEPT_HOURS, LOCK } from './exports.js';

/** Writes the copies that are asked for. */
@Injectable()
export class ExportWriter {
  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
    private readonly storage: FileStorage,
    private readonly claims: WorkClaims,
    private readonly messages: Messages,
  ) {}

  /** @throws ClaimLostError when somebody else is at it */
  async write(claim: Claim<ClaimedExport>, signal: AbortSignal): Promise<void> {
    const { id, userId, storageKey } = claim.row;
    try {
      const stored = await this.storage.put(storageKey, streamArchive(this.registry, userId), { signal });
      await this.finish(claim, stored);
    } catch (error) {
      await this.removeOrphan(id, storageKey);
      throw error;
    }
  }

  private async finish(claim: Claim<ClaimedExport>, stored: { sizeBytes: number; sha256: string }): Promise<void> {
    const { userId } = claim.row;
    const set = (param: Param) => `state = 'ready', size_bytes = ${param(stored.sizeBytes)},
      sha256 = ${param(stored.sha256)}, finished_at = now(), expires_at = now() + make_interval(hours => ${param(KEPT_HOURS)})`;
    const receipt = await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, userId]);
      await this.claims.finish(claim, { set }, tx);
      const [owner] = await tx.query<[{ email: string; name: string; language: 'en' | 'ar' }]>(
        'SELECT email, first_name AS name, language FROM users WHERE id = $1',
        [userId],
      );
      const params = { name: owner.name, hours: KEPT_HOURS };
      const { email: to, language } = owner;
      return this.messages.enqueue({ channel: 'mail', template: 'export-ready', language, to, userId, params }, tx);
    });
    this.messages.publish(receipt);
  }

  /** The account was erased while its copy was written. */
  private async removeOrphan(id: string, storageKey: string): Promise<void> {
    const rows = await this.dataSource.query<unknown[]>('SELECT FROM exports WHERE id = $1', [id]);
    if (rows.length === 0) await this.storage.delete(storageKey);
  }
}
