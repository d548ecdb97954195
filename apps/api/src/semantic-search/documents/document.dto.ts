import { DOCUMENT_STATES, INDEXING_STAGES, type DocumentRecord } from '@app/documents';
import { ApiProperty } from '@nestjs/swagger';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  StringField,
  UuidField,
  kinds,
} from '../../http/fields.js';
import { OCR_LANGUAGES_FIELD } from '../uploads/ocr-languages.js';

/** docs/contract/documents.md#the-document. */
export class DocumentResponse {
  @UuidField()
  uid: string;

  @StringField({ optional: true, description: 'Virtual folder; omitted on documents that somebody else owns.' })
  folder?: string;

  @StringField({ description: 'Media path; sign it to download the file.' })
  path: string;

  @StringField()
  filename: string;

  @IntegerField({ description: 'Pages processed so far; all of them when completed.' })
  page_number: number;

  @ChoiceField(['', ...INDEXING_STAGES], { description: 'What a worker does with it; empty while none does.' })
  stage: string;

  @IntegerField({ description: 'How far the worker is, 0 to 100.' })
  percent: number;

  @IntegerField({
    nullable: true,
    description: 'While it is queued: how many documents are taken up to and with this one.',
  })
  queue_position: number | null;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  size_bytes: number;

  @IntegerField()
  labels: number;

  @StringField()
  doc_class: string;

  @ListField(kinds.string(), { optional: true, description: "The owner's own; omitted as `folder` is." })
  tags?: string[];

  @StringField({ description: 'For people.' })
  status: string;

  @ChoiceField(DOCUMENT_STATES)
  processing_state: string;

  @IntegerField()
  enqueue_attempt_count: number;

  @StringField()
  last_error: string;

  @DateTimeField({ nullable: true })
  queued_at: Date | null;

  @DateTimeField({ nullable: true })
  processing_started_at: Date | null;

  @DateTimeField({ nullable: true })
  completed_at: Date | null;

  @BooleanField()
  from_dms: boolean;

  @StringField({ nullable: true })
  external_drive_item_id: string | null;

  @DateTimeField()
  created_at: Date;
}

export function toDocumentResponse(
  document: DocumentRecord,
  viewerId: number,
  queuePosition: number | null,
): DocumentResponse {
  return {
    uid: document.uid,
    ...(document.ownerId === viewerId ? { folder: document.folder, tags: document.tags } : {}),
    path: document.path,
    filename: document.filename,
    page_number: document.pageNumber,
    stage: document.stage,
    percent: document.percent,
    queue_position: queuePosition,
    size_bytes: Number(document.sizeBytes),
    labels: document.labels,
    doc_class: document.docClass,
    status: document.status,
    processing_state: document.processingState,
    enqueue_attempt_count: document.enqueueAttemptCount,
    last_error: document.lastError,
    queued_at: document.queuedAt,
    processing_started_at: document.processingStartedAt,
    completed_at: document.completedAt,
    from_dms: document.fromDms,
    external_drive_item_id: document.externalDriveItemId,
    created_at: document.createdAt,
  };
}

/** docs/contract/documents.md#the-document. */
export class DocumentStatusResponse {
  @UuidField()
  uid: string;

  @ChoiceField(DOCUMENT_STATES)
  processing_state: string;

  @StringField()
  status: string;

  @StringField()
  last_error: string;

  @IntegerField({ description: 'Pages processed so far.' })
  page_number: number;

  @ChoiceField(['', ...INDEXING_STAGES])
  stage: string;

  @IntegerField()
  percent: number;

  @IntegerField({ nullable: true })
  queue_position: number | null;

  @DateTimeField()
  created_at: Date;
}

export class StatusLookupRequest {
  @ListField(kinds.uuid(), { maxItems: 500 })
  uids: string[];
}

export class RetryRequest {
  @BooleanField({ optional: true, description: 'From now on; as it was uploaded when absent.' })
  ocr?: boolean;

  @ListField(kinds.string(), { optional: true, ...OCR_LANGUAGES_FIELD })
  ocr_languages?: string[];
}

export class UpdateDocumentRequest {
  /** Whether it is missing is looked at last: an attempt to rename has an answer of its own. */
  @ApiProperty({ required: true })
  @StringField({ optional: true, allowBlank: true, trim: false, description: 'Empty for the root.' })
  folder?: string;

  @AnyField({ optional: true, nullable: true, description: 'Refused unless unchanged: documents are not renamed.' })
  filename?: unknown;

  @AnyField({ optional: true, nullable: true, description: 'As `filename`.' })
  name?: unknown;

  @AnyField({ optional: true, nullable: true, description: 'As `filename`.' })
  path?: unknown;
}

export class TrashedDocumentResponse extends DocumentResponse {
  @DateTimeField()
  deleted_at: Date;

  @DateTimeField({ description: 'When it is removed for good.' })
  purge_at: Date;

  @StringField({ description: 'Where it goes when it is restored.' })
  original_folder: string;
}

export function toTrashedDocumentResponse(document: DocumentRecord, viewerId: number): TrashedDocumentResponse {
  const { deletedAt, purgeAt } = document;
  if (!deletedAt || !purgeAt) throw new TypeError('This document is not in the trash.');
  return {
    ...toDocumentResponse(document, viewerId, null),
    deleted_at: deletedAt,
    purge_at: purgeAt,
    original_folder: document.folder,
  };
}

export class TrashedResponse {
  @ChoiceField(['trashed'])
  status: 'trashed';

  @UuidField()
  uid: string;

  @DateTimeField()
  deleted_at: Date;

  @DateTimeField()
  purge_at: Date;
}

export class RestoredResponse {
  @ChoiceField(['restored'])
  status: 'restored';

  @UuidField()
  uid: string;

  @StringField()
  detail: string;
}

export class PurgedResponse {
  @ChoiceField(['permanently_deleted'])
  status: 'permanently_deleted';

  @UuidField()
  uid: string;
}
