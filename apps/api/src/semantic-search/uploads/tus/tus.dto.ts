import type { ResumableUpload } from '@app/documents';
import {
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  StringField,
  UuidField,
} from '../../../http/fields.js';

export class ResumableUploadResponse {
  @UuidField()
  id: string;

  @StringField()
  filename: string;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  size_bytes: number;

  @IntegerField({ description: 'Bytes that have arrived.', max: Number.MAX_SAFE_INTEGER })
  offset: number;

  @ChoiceField(['receiving', 'stored', 'refused'])
  state: string;

  @UuidField({ nullable: true, description: 'The document that the upload became.' })
  document_uid: string | null;

  @ListField(kinds.string(), { description: 'Why the whole file was refused.' })
  reasons: string[];

  @DateTimeField({ description: 'When an unfinished upload is removed.' })
  expires_at: Date;
}

export function toResumableUploadResponse(upload: ResumableUpload, offset: number | null): ResumableUploadResponse {
  const { id, metadata, sizeBytes, state, documentUid, refusal, expiresAt } = upload;
  return {
    id,
    filename: metadata.filename ?? '',
    size_bytes: sizeBytes,
    offset: state === 'receiving' ? (offset ?? 0) : sizeBytes,
    state,
    document_uid: documentUid,
    reasons: refusal?.reasons ?? [],
    expires_at: expiresAt,
  };
}
