import type { Delivery } from '@app/documents';
import { BooleanField, kinds, ListField, StringField } from '../../http/fields.js';
import { DocumentResponse } from '../documents/document.dto.js';
import { OCR_LANGUAGES_FIELD } from './ocr-languages.js';

/** The text fields beside the file of `POST upload/`. */
export class UploadFields {
  @StringField({ default: '', allowBlank: true, trim: false, description: 'Virtual folder; the root when empty.' })
  folder: string;

  @BooleanField({ default: true, description: 'Whether the file is indexed.' })
  train_after_upload: boolean;

  @BooleanField({ default: false, description: 'Whether text in pictures and scanned pages is recognised.' })
  ocr: boolean;

  @ListField(kinds.string(), { default: [], ...OCR_LANGUAGES_FIELD })
  ocr_languages: string[];

  @StringField({
    default: '',
    allowBlank: true,
    maxLength: 255,
    description: 'Set by the importer of an external drive.',
  })
  external_drive_item_id: string;
}

export class UploadResponse extends DocumentResponse {
  @StringField({ description: 'Follows the upload through the logs of all processes.' })
  upload_id: string;

  @BooleanField({ optional: true, description: 'The queue was unavailable; the file is indexed later by itself.' })
  queue_pending?: boolean;

  @StringField({ optional: true })
  queue_error?: string;
}

/** What the upload tells about the queue; the words of the queue's own error stay in the log. */
export function toQueueFields(delivery: Delivery | null): Pick<UploadResponse, 'queue_pending' | 'queue_error'> {
  if (!delivery?.pending) return {};
  return { queue_pending: true, queue_error: 'The queue could not be reached. Indexing will be tried again.' };
}
