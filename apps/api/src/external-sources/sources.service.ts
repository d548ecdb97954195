import { ForbiddenError, InvalidRequestError, newId, NotFoundError, ValidationError } from '@app/common';
import { AuditLog } from '@app/audit';
import type { Principal } from '@app/auth';
import {
  DocumentLifecycle,
  findSourceAccess,
  normalizeFolder,
  sealSourceSecret,
  SourceSyncs,
  type StoredSource,
} from '@app/documents';
import { SourceConnectors, SourceError, type SourceType } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SOURCES_SETTINGS, type SourcesSettings } from './sources-settings.js';
import { SourceRows, type SourceRow } from './source-rows.js';

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

export interface SourceTest {
  ok: boolean;
  code: string | null;
  detail: string;
}

const MAX_SOURCES = 10;
const TEST_MS = 20_000;
const TRASH_BATCH = 200;
/** With the account's number: two requests cannot both make the tenth. */
const LOCK = 0x736f7572;

/** A user's external sources. */
@Injectable()
export class SourcesService {
  constructor(
    @Inject(SOURCES_SETTINGS) private readonly settings: SourcesSettings,
    private readonly dataSource: DataSource,
    private readonly rows: SourceRows,
    private readonly connectors: SourceConnectors,
    private readonly sealing: SealingService,
    private readonly syncs: SourceSyncs,
    private readonly lifecycle: DocumentLifecycle,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFoundError for one that is not the viewer's */
  async get({ userId }: Principal, id: string): Promise<SourceRow> {
    const row = await this.rows.find(userId, id);
    if (!row) throw new NotFoundError('Source not found.', { code: 'source_not_found' });
    return row;
  }

  /** @throws ValidationError, ForbiddenError, InvalidRequestError (`source_limit_reached`) */
  async create(viewer: Principal, type: SourceType, draft: SourceDraft): Promise<SourceRow> {
    requireRights(viewer, type);
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
    return this.get(viewer, id);
  }

  /**
   * A sync under way is broken off when it would go on with something else; what it has brought stays. Another
   * configuration is listed from the beginning.
   * @throws ValidationError, ForbiddenError, InvalidRequestError (`secret_required`), NotFoundError
   */
  async update(viewer: Principal, id: string, draft: SourceDraft): Promise<SourceRow> {
    const known = await this.get(viewer, id);
    requireRights(viewer, known.type);
    const folder = normalizeFolder(draft.folder);
    const checked = this.connectors.check(known.type, draft.config);
    const secretSealed = this.sealUpdated(known, checked.destination, draft.secret);
    const { name, ocr, scheduleMinutes } = draft;
    await this.dataSource.transaction(async (tx) => {
      await tx.query(
        `UPDATE external_sources s SET name = $3, config = $4::jsonb, secret_sealed = $5, folder = $6, ocr = $7,
         schedule_minutes = $8::int, next_sync_at = now() + $8 * interval '1 minute', updated_at = now(),
         fence = s.fence + 1, leased_by = NULL, lease_expires_at = NULL, resume_at = NULL, page_cursor = NULL,
         state = CASE WHEN s.state = 'syncing' THEN 'idle' ELSE s.state END,
         cursor = CASE WHEN s.config = $4::jsonb THEN s.cursor END
       WHERE s.id = $2 AND s.owner_id = $1`,
        [viewer.userId, id, name, JSON.stringify(checked.config), secretSealed, folder, ocr, scheduleMinutes],
      );
      await this.note('source.updated', viewer, known, tx);
    });
    return this.get(viewer, id);
  }

  /** Never throws for what is wrong with the source. */
  async test(viewer: Principal, id: string): Promise<SourceTest> {
    const source = await this.get(viewer, id);
    requireRights(viewer, source.type);
    const access = findSourceAccess(this.sealing, source);
    if (!access) return { ok: false, code: 'auth', detail: 'The secret cannot be opened any more. Enter it again.' };
    const signal = AbortSignal.timeout(TEST_MS);
    const connector = this.connectors.open(access);
    try {
      await connector.test(signal);
      return { ok: true, code: null, detail: 'The source can be read.' };
    } catch (error) {
      if (signal.aborted) return { ok: false, code: 'unavailable', detail: 'The source did not answer in time.' };
      if (!(error instanceof SourceError)) throw error;
      return { ok: false, code: error.failure, detail: error.message };
    } finally {
      await connector.close();
    }
  }

  /** Begins a sync; one that is under way goes on. */
  async sync(viewer: Principal, id: string): Promise<SourceRow> {
    requireRights(viewer, (await this.get(viewer, id)).type);
    await this.syncs.request(id);
    return this.get(viewer, id);
  }

  /** @returns how many documents went into the trash. @throws NotFoundError */
  async remove(viewer: Principal, id: string, documents: 'keep' | 'trash'): Promise<number> {
    const known = await this.get(viewer, id);
    // A sync under way brings nothing more from here on.
    await this.dataSource.query(
      `UPDATE external_sources SET fence = fence + 1, state = 'idle', resume_at = NULL, next_sync_at = NULL,
         schedule_minutes = NULL, leased_by = NULL, lease_expires_at = NULL WHERE id = $1`,
      [id],
    );
    const trashed = documents === 'trash' ? await this.trashDocuments(viewer, id) : 0;
    await this.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM external_sources WHERE id = $1 AND owner_id = $2', [id, viewer.userId]);
      await this.note('source.deleted', viewer, known, tx);
    });
    return trashed;
  }

  private async trashDocuments({ userId }: Principal, id: string): Promise<number> {
    let trashed = 0;
    for (;;) {
      const rows = await this.dataSource.query<{ uid: string }[]>(
        `SELECT d.uid FROM external_items i JOIN documents d ON d.uid = i.document_uid AND d.deleted_at IS NULL
         WHERE i.source_id = $1 LIMIT ${TRASH_BATCH}`,
        [id],
      );
      if (rows.length === 0) return trashed;
      const uids = rows.map(({ uid }) => uid);
      trashed += (await this.lifecycle.trash(userId, uids, this.settings.trashRetentionDays)).length;
    }
  }

  private async note(
    action: 'source.created' | 'source.updated' | 'source.deleted',
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

/** What lies on the server is not everybody's. */
function requireRights({ isStaff }: Principal, type: SourceType): void {
  if (type === 'folder' && !isStaff) throw new ForbiddenError('Folders of the server are for staff.');
}
