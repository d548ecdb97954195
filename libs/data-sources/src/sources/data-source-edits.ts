import { type AuditAction, AuditLog } from '@app/audit';
import { ValidationError } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SourceGuard } from './source-guard.js';
import { DataSources, sourceNotFound } from './data-sources.js';
import { type CheckedSource, checkDraft, leadsElsewhere } from './source-draft.js';
import { DATA_SOURCE_LIMITS, type DataSourceDraft, type DataSourceRecord } from '../shapes/source-shapes.js';
import { secretPlace } from './stored-source.js';

interface Editor {
  userId: number;
  username: string;
}

/** With the account's number: two requests cannot both make the last one. */
const LOCK = 0x64617461;

/** What people do to their data sources, written down with it; secrets are sealed before they are stored. */
@Injectable()
export class DataSourceEdits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sources: DataSources,
    private readonly guard: SourceGuard,
    private readonly sealing: SealingService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ValidationError by field, and for an account that has as many as there may be */
  async create(editor: Editor, draft: DataSourceDraft): Promise<DataSourceRecord> {
    const checked = await checkDraft(draft, null, this.guard);
    return this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, editor.userId]);
      const [{ count }] = await tx.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM data_sources WHERE owner_id = $1',
        [editor.userId],
      );
      if (count >= DATA_SOURCE_LIMITS.sources)
        throw new ValidationError({
          non_field_errors: [`An account has at most ${DATA_SOURCE_LIMITS.sources} data sources.`],
        });
      const [{ id }] = await tx.query<[{ id: number }]>(
        `INSERT INTO data_sources (owner_id, name, type, host, port, database, username, ssl_mode, schemas)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
        [editor.userId, checked.name, checked.type, ...connectionOf(checked)],
      );
      if (draft.secret)
        await tx.query('UPDATE data_sources SET secret_sealed = $2 WHERE id = $1', [id, this.seal(id, draft.secret)]);
      await this.note('data_source.created', editor, id, checked, tx);
      return this.sources.get(editor.userId, id, tx);
    });
  }

  /**
   * What is absent stays. A change of the connection makes what a test found void, and what was read through it.
   * @throws NotFoundError; ValidationError, of `secret` where the stored one would be sent elsewhere
   */
  async update(editor: Editor, id: number, draft: DataSourceDraft): Promise<DataSourceRecord> {
    const known = await this.sources.get(editor.userId, id);
    const wanted = await checkDraft(draft, known, this.guard);
    if (known.hasSecret && draft.secret === undefined && leadsElsewhere(known, wanted))
      throw new ValidationError({
        secret: ['Enter the secret again, or remove it: it was given for another host, database, user or encryption.'],
      });
    const isOther =
      draft.secret !== undefined || JSON.stringify(connectionOf(wanted)) !== JSON.stringify(connectionOf(known));
    const updated = await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE data_sources SET name = $4, host = $5, port = $6, database = $7, username = $8, ssl_mode = $9, schemas = $10,
           secret_sealed = CASE WHEN $11 THEN secret_sealed ELSE $12::bytea END, updated_at = now()
         WHERE id = $2 AND owner_id = $1 AND revision = $3`,
        [
          editor.userId,
          id,
          known.revision,
          wanted.name,
          ...connectionOf(wanted),
          draft.secret === undefined,
          draft.secret ? this.seal(id, draft.secret) : null,
        ],
      );
      if (count === 0) return null;
      if (isOther)
        await tx.query(
          `UPDATE data_sources SET revision = revision + 1, status = 'untested', last_error = '' WHERE id = $1`,
          [id],
        );
      await this.note('data_source.updated', editor, id, wanted, tx);
      return this.sources.get(editor.userId, id, tx);
    });
    // Somebody else changed the connection since it was read: what this means has to be thought over.
    return updated ?? this.update(editor, id, draft);
  }

  /** @throws NotFoundError */
  async delete(editor: Editor, id: number): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const [[gone]] = await tx.query<[CheckedSource[], number]>(
        `DELETE FROM data_sources WHERE id = $1 AND owner_id = $2
         RETURNING name, type, host, port, database, username, ssl_mode AS "sslMode", schemas`,
        [id, editor.userId],
      );
      if (!gone) throw sourceNotFound();
      await this.note('data_source.deleted', editor, id, gone, tx);
    });
  }

  private seal(id: number, secret: string): Buffer {
    return this.sealing.seal(secret, secretPlace(id));
  }

  private async note(
    action: AuditAction,
    { userId, username }: Editor,
    id: number,
    { type, host }: CheckedSource,
    tx: EntityManager,
  ): Promise<void> {
    await this.audit.record(
      { action, actor: { userId, username }, target: `data_source:${id}`, details: { type, host } },
      tx,
    );
  }
}

function connectionOf({ host, port, database, username, sslMode, schemas }: CheckedSource): unknown[] {
  return [host, port, database, username, sslMode, JSON.stringify(schemas)];
}
