import { isUtf8 } from 'node:buffer';
import { InvalidRequestError } from '@app/common';
import {
  getKindByFilename,
  normalizeFolder,
  sanitizeFilename,
  type UploadMetadata,
  UploadRejectedError,
} from '@app/documents';
import { BooleanField, kinds, ListField, StringField } from '../../../http/fields.js';
import { readDto } from '../../../http/fields/validate.js';
import { checkOcrLanguages, OCR_LANGUAGES_FIELD } from '../ocr-languages.js';
import { asRefusal, type UploadOptions } from '../uploads.service.js';
import { isZip, ZIP_WANTS_A_BATCH } from '../zip-uploads.js';

/** What `Upload-Metadata` may hold; tus clients add things of their own, which are passed over. */
class MetadataFields {
  @StringField({ maxLength: 1024 })
  filename: string;

  @StringField({ default: '', allowBlank: true, trim: false })
  folder: string;

  @BooleanField({ default: true })
  train_after_upload: boolean;

  @BooleanField({ default: false })
  ocr: boolean;

  @ListField(kinds.string(), { default: [], ...OCR_LANGUAGES_FIELD })
  ocr_languages: string[];
}

const BASE64 = /^[\d+/a-z]*={0,2}$/i;

/** The protocol's library puts U+FFFD where bytes are no UTF-8. @throws InvalidRequestError */
export function refuseUnreadable(header: string): void {
  for (const pair of header.split(',')) {
    const [, value = ''] = pair.trim().split(' ');
    if (BASE64.test(value) && !isUtf8(Buffer.from(value, 'base64')))
      throw new InvalidRequestError('Upload-Metadata holds a value that is not UTF-8.', { code: 'parse_error' });
  }
}

/** What is wrong is said before the first byte. @throws UploadRejectedError */
export function checkMetadata(metadata: UploadMetadata, offered: readonly string[]): void {
  toUploadOptions(metadata, offered);
  if (isZip(metadata.filename ?? '')) throw new UploadRejectedError([ZIP_WANTS_A_BATCH]);
  getKindByFilename(sanitizeFilename(metadata.filename ?? ''));
}

/** @param offered languages of text recognition. @throws UploadRejectedError */
export function toUploadOptions(metadata: UploadMetadata, offered: readonly string[]): UploadOptions {
  try {
    const given = Object.entries(metadata).filter((entry): entry is [string, string] => entry[1] !== null);
    const fields = readDto(MetadataFields, Object.fromEntries(given), 'form');
    return {
      folder: normalizeFolder(fields.folder),
      ocr: fields.ocr,
      ocrLanguages: checkOcrLanguages(fields.ocr_languages, offered),
      train: fields.train_after_upload,
      externalDriveItemId: null,
    };
  } catch (error) {
    const refusal = asRefusal(error);
    throw refusal instanceof Error ? refusal : new UploadRejectedError(['The metadata cannot be read.']);
  }
}
