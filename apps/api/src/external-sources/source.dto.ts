import { ONE_LINE } from '@app/common';
import type { SourceItemRow, SourceRow } from '@app/documents';
import { SOURCE_TYPES, type SourceType } from '@app/integrations';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';

const STATES = ['idle', 'syncing', 'ok', 'error'];
const ITEM_STATES = ['imported', 'failed', 'removed', 'vanished'];
const CONFIG =
  's3: `bucket`, `access_key_id`, `endpoint?`, `region?`, `prefix?`. folder: `path`. sql: `host`, `port?`, `database`, `user`, ' +
  '`ssl?` (verify, require, disable), `tables?`, `queries?` [{name, sql}]. sharepoint: `tenant_id`, `client_id`, `drive_id`.';
const SECRET = 'The secret access key, password or client secret; never shown again.';

export class UpdateSourceRequest {
  @StringField({ ...ONE_LINE, maxLength: 100 })
  name: string;

  @ObjectField({ description: CONFIG })
  config: Record<string, unknown>;

  @StringField({ optional: true, maxLength: 5000, trim: false, description: `${SECRET} Kept when absent.` })
  secret?: string;

  @StringField({ default: '', allowBlank: true, trim: false, description: 'Where its documents go.' })
  folder: string;

  @BooleanField({ default: false, description: 'Whether text in pictures and scanned pages is recognised.' })
  ocr: boolean;

  @IntegerField({ optional: true, nullable: true, min: 15, max: 10_080, description: 'Minutes between two syncs.' })
  schedule_minutes?: number | null;
}

export class CreateSourceRequest extends UpdateSourceRequest {
  @ChoiceField(SOURCE_TYPES)
  type: SourceType;
}

export class SourceResponse {
  @UuidField()
  id: string;

  @ChoiceField(SOURCE_TYPES)
  type: SourceType;

  @StringField()
  name: string;

  @ObjectField({ description: CONFIG })
  config: Record<string, unknown>;

  @BooleanField()
  has_secret: boolean;

  @StringField()
  folder: string;

  @BooleanField()
  ocr: boolean;

  @IntegerField({ nullable: true })
  schedule_minutes: number | null;

  @ChoiceField(STATES)
  state: string;

  @StringField()
  last_error: string;

  @DateTimeField({ nullable: true })
  last_synced_at: Date | null;

  @DateTimeField({ nullable: true })
  next_sync_at: Date | null;

  @UuidField({ nullable: true, description: 'Follows what the last sync brought: `upload/batch/{id}/status/`.' })
  batch_id: string | null;

  @IntegerField({ description: 'Items that the last sync brought; likewise the three below.' })
  added: number;

  @IntegerField()
  updated: number;

  @IntegerField()
  removed: number;

  @IntegerField()
  failed: number;

  @IntegerField({ description: 'Items that the source has, as far as is known.' })
  item_count: number;

  @DateTimeField()
  created_at: Date;
}

export function toSourceResponse(row: SourceRow): SourceResponse {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    config: row.config,
    has_secret: row.secretSealed !== null,
    folder: row.folder,
    ocr: row.ocr,
    schedule_minutes: row.scheduleMinutes,
    state: row.state,
    last_error: row.lastError,
    last_synced_at: row.lastSyncedAt,
    next_sync_at: row.nextSyncAt,
    batch_id: row.batchId,
    added: row.added,
    updated: row.updated,
    removed: row.removed,
    failed: row.failed,
    item_count: row.itemCount,
    created_at: row.createdAt,
  };
}

export class SourceTestResponse {
  @BooleanField()
  ok: boolean;

  @StringField({
    nullable: true,
    description: 'auth, not_found, refused, throttled or unavailable; null when it works.',
  })
  code: string | null;

  @StringField()
  detail: string;
}

export class SourceItemsQuery extends PageQuery {
  @ChoiceField(ITEM_STATES, { optional: true })
  state?: string;
}

export class SourceItemResponse {
  @StringField()
  item_id: string;

  @StringField()
  name: string;

  @StringField({ description: 'Folder within the source.' })
  path: string;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  size_bytes: number | null;

  @DateTimeField({ nullable: true })
  modified_at: Date | null;

  @ChoiceField(ITEM_STATES, {
    description:
      '`removed`: its document was deleted here, and is not imported again. `vanished`: gone from the source.',
  })
  state: string;

  @StringField({ description: 'Why it failed.' })
  reason: string;

  @UuidField({ nullable: true })
  document_uid: string | null;

  @DateTimeField()
  updated_at: Date;
}

export class SourceItemPage extends PageOf(SourceItemResponse) {}

export function toSourceItemResponse(row: SourceItemRow): SourceItemResponse {
  return {
    item_id: row.itemId,
    name: row.name,
    path: row.path,
    size_bytes: row.sizeBytes === null ? null : Number(row.sizeBytes),
    modified_at: row.modifiedAt,
    state: row.state,
    reason: row.reason,
    document_uid: row.documentUid,
    updated_at: row.updatedAt,
  };
}

export class DeleteSourceQuery {
  @ChoiceField(['keep', 'trash'], { default: 'keep', description: 'What becomes of the documents that came from it.' })
  documents: 'keep' | 'trash';
}

export class SourceDeletedResponse {
  @ChoiceField(['deleted'])
  status: 'deleted';

  @UuidField()
  id: string;

  @IntegerField({ description: 'Documents that went into the trash.' })
  trashed: number;
}
