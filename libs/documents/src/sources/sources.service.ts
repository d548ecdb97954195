import { AuditLog } from '@app/audit';
import type { Principal } from '@app/auth';
import { InvalidRequestError, newId, ValidationError } from '@app/common';
import { SourceConnectors, type SourceType } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { normalizeFolder } from '../store/folder-path.js';
import { requireSourceRights } from './source-rights.js';
import { type SourceRow, SourceRows } from './source-rows.js';
import { sealSourceSecret, type StoredSource } from './source-secret.js';
import { SourceSyncs } from './source-syncs.js';

/** As the client wants it. */
export interface SourceDraft {
  name: string;
  config: Record<string, unknown>;
  /** Absent: none, or the one that is there. */
  secret?: string;
  folder: string;
  ocr: boolean;
  scheduleMinutes: number | null;
}

const MAX_SOURCES = 10;
/** With the account's number: two requests cannot both make the tenth. */
const LOCK = 0x736f7572;

/** A user's external sources. */
@Injectable()
export class SourcesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: SourceRows,
    private readonly connectors: SourceConnectors,
    private readonly sealing: SealingService,
    private readonly syncs: SourceSyncs,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ValidationError, ForbiddenError, InvalidRequestError (`source_limit_reached`) */
  async create(viewer: Principal, type: SourceType, draft: SourceDraft): Promise<SourceRow> {
    requireSourceRights(viewer, type);
    const id = newId();
    const folder = normalizeFolder(draft.folder);
    const { config } = this.connectors.check(type, draft.config);
    const secret = this.secretFor(type, draft.secret);
    const { name, ocr, scheduleMinutes } = draft;
    const made = await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, viewer.userId]);
      const rows = await tx.query<unknown[]>(
        `INSERT INTO external_sources (id, owner_id, type, name, config, secret_sealed, folder, ocr, schedule_minutes, next_sync_at)
         SELECT $1::uuid, $2::int, $3, $4, $5::jsonb, $6::bytea, $7, $8::boolean, $9::int, now() + $9 * interval '1 minute'
         WHERE (SELECT count(*) FROM external_sources WHERE owner_id = $2) < $10 RETURNING id`,
        [
          id,
          viewer.userId,
          type,
          name,
          JSON.stringify(config),
          sealSourceSecret(this.sealing, id, secret),
          folder,
          ocr,
          scheduleMinutes,
          MAX_SOURCES,
        ],
      );
      if (rows.length > 0) await this.note('source.created', viewer, { id, type }, tx);
      return rows;
    });
    if (made.length === 0)
      throw new InvalidRequestError(`An account has at most ${MAX_SOURCES} sources.`, { code: 'source_limit_reached' });
    return this.rows.get(viewer.userId, id);
  }

  /**
   * A sync under way is broken off when it would go on with something else; what it has brought stays. Another
   * configuration is listed from the beginning.
   * @throws ValidationError, ForbiddenError, InvalidRequestError (`secret_required`), NotFoundError
   */
  async update(viewer: Principal, id: string, draft: SourceDraft): Promise<SourceRow> {
    const known = await this.rows.get(viewer.userId, id);
    requireSourceRights(viewer, known.type);
    const folder = normalizeFolder(draft.folder);
    const checked = this.connectors.check(known.type, draft.config);
    const secretSealed = this.sealUpdated(known, checked.destination, draft.secret);
    const { name, ocr, scheduleMinutes } = draft;
    await this.dataSource.transaction(async (tx) => {
      await tx.query(
        `UPDATE external_sources s SET name = $3, config = $4::jsonb, secret_sealed = $5, folder = $6, ocr = $7,
         schedule_minutes = $8::int, next_sync_at = now() + $8 * interval '1 minute', updated_at = now(),
         fence = s.fence + 1, lease_owner = NULL, leased_until = NULL, next_attempt_at = NULL, page_cursor = NULL,
         state = CASE WHEN s.state = 'syncing' THEN 'idle' ELSE s.state END,
         cursor = CASE WHEN s.config = $4::jsonb THEN s.cursor END
       WHERE s.id = $2 AND s.owner_id = $1`,
        [viewer.userId, id, name, JSON.stringify(checked.config), secretSealed, folder, ocr, scheduleMinutes],
      );
      await this.note('source.updated', viewer, known, tx);
    });
    return this.rows.get(viewer.userId, id);
  }

  /** Begins a sync; one that is under way goes on. */
  async sync(viewer: Principal, id: string): Promise<SourceRow> {
    requireSourceRights(viewer, (await this.rows.get(viewer.userId, id)).type);
    await this.syncs.request(id);
    return this.rows.get(viewer.userId, id);
  }

  private async note(
    action: 'source.created' | 'source.updated',
    actor: Principal,
    { id, type }: { id: string; type: SourceType },
    tx: EntityManager,
  ): Promise<void> {
    await this.audit.record({ action, actor, target: `source:${id}`, details: { type } }, tx);
  }

  private secretFor(type: SourceType, given: string | undefined): string {
    const wanted = this.connectors.secretOf(type);
    if (wanted === null) return '';
    if (!given) throw new ValidationError({ secret: ['This field is required.'] });
    return given;
  }

  /** The secret that is there is never sent to whom it was not given for. */
  private sealUpdated(known: StoredSource, destination: string, given: string | undefined): Buffer | null {
    if (this.connectors.secretOf(known.type) === null) return null;
    if (given) return sealSourceSecret(this.sealing, known.id, given);
    if (this.connectors.check(known.type, known.config).destination !== destination)
      throw new InvalidRequestError('The secret is needed again for another address or account.', {
        code: 'secret_required',
      });
    return known.secretSealed;
  }
}
