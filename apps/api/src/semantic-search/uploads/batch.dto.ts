import type { BatchItem, BatchProgress } from '@app/documents';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  ObjectField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import { OCR_LANGUAGES_FIELD } from './ocr-languages.js';

/** The text fields beside the files of `POST upload/batch/`. */
export class BatchFields {
  @StringField({ default: '', allowBlank: true, trim: false, description: 'Virtual folder; the root when empty.' })
  folder: string;

  @BooleanField({ default: true, description: 'Whether the files are indexed.' })
  train_after_upload: boolean;

  @BooleanField({ default: false, description: 'Whether text in pictures and scanned pages is recognised.' })
  ocr: boolean;

  @ListField(kinds.string(), { default: [], ...OCR_LANGUAGES_FIELD })
  ocr_languages: string[];
}

export class BatchResult {
  @StringField()
  filename: string;

  @StringField({ description: 'The ZIP archive that the file came in; empty for a file of the form.' })
  archive: string;

  @StringField({ description: 'Where the document is; with the folders of the archive.' })
  folder: string;

  @UuidField({ nullable: true })
  uid: string | null;

  @StringField()
  upload_id: string;

  @ChoiceField(['queued', 'pending_publish', 'untrained', 'blocked', 'rejected'])
  status: string;

  @ListField(kinds.string(), { description: 'Why the file was refused.' })
  reasons: string[];

  @ObjectField({ description: 'Wrong form fields, one key each.' })
  errors: Record<string, unknown>;
}

export class BatchUploadResponse {
  @UuidField()
  batch_id: string;

  @IntegerField()
  total: number;

  @ListField(() => BatchResult)
  results: BatchResult[];
}

export class BatchItemResponse {
  @IntegerField({ description: 'Place in the request, from 1.' })
  id: number;

  @StringField()
  filename: string;

  @StringField({ description: 'The state of the document; `failed` for a file that was refused or deleted since.' })
  state: string;

  @StringField()
  last_error: string;

  @DateTimeField({ nullable: true })
  queued_at: Date | null;

  @DateTimeField({ nullable: true })
  completed_at: Date | null;
}

/** docs/contract/documents.md#batches. */
export class BatchResponse {
  @UuidField()
  batch_id: string;

  @ChoiceField(['accepted', 'processing', 'completed', 'partial', 'failed'])
  state: string;

  @ChoiceField(['direct', 'sharepoint', 'sql'])
  source_type: string;

  @IntegerField()
  total: number;

  @IntegerField()
  completed: number;

  @IntegerField()
  failed: number;

  @IntegerField()
  pending: number;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  completed_at: Date | null;

  @ListField(() => BatchItemResponse)
  items: BatchItemResponse[];
}

export function toBatchResponse(batch: BatchProgress): BatchResponse {
  return {
    batch_id: batch.batchId,
    state: batch.state,
    source_type: batch.sourceType,
    total: batch.items.length,
    completed: batch.completed,
    failed: batch.failed,
    pending: batch.items.length - batch.completed - batch.failed,
    created_at: batch.createdAt,
    completed_at: batch.completedAt,
    items: batch.items.map(toBatchItemResponse),
  };
}

function toBatchItemResponse(item: BatchItem): BatchItemResponse {
  return {
    id: item.position + 1,
    filename: item.filename,
    state: item.state,
    last_error: item.lastError,
    queued_at: item.queuedAt,
    completed_at: item.completedAt,
  };
}
