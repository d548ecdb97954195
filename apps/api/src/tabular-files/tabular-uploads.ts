import { currentContext, newId, ValidationError } from '@app/common';
import { FileScreening, normalizeFolder, sanitizeFilename, UploadRejectedError } from '@app/documents';
import { TabularFiles, type RequestedImport, type TabularStore } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { readDto } from '../http/fields/validate.js';
import type { ReceivedForm } from '../uploads/upload-receiver.js';
import { readDelimiter, readEncoding, readHeaderRow } from './import-options.js';
import { TabularUploadFields } from './tabular-requests.dto.js';
import type { TabularUploadResponse } from './tabular-file.dto.js';

const TABULAR_KINDS: readonly string[] = ['csv', 'xlsx', 'xlsm', 'xlsb', 'xls', 'ods'];

/** From a received form to a file of the database or the spreadsheet store. */
@Injectable()
export class TabularUploads {
  constructor(
    private readonly files: TabularFiles,
    private readonly screening: FileScreening,
  ) {}

  /** @throws UploadRejectedError with the reasons why the file is not taken */
  async add(ownerId: number, store: TabularStore, form: ReceivedForm): Promise<RequestedImport> {
    const [file] = form.files;
    if (!file) throw new UploadRejectedError(['path: This field is required.']);
    const options = readFields(form.fields);
    const filename = sanitizeFilename(file.originalName);
    const { kind, mimeType } = await this.screening.screen({ path: file.path, filename, sizeBytes: file.size });
    if (!TABULAR_KINDS.includes(kind))
      throw new UploadRejectedError(['Only tables are taken here: CSV, TSV, XLSX, XLSM, XLSB, XLS and ODS files.']);
    const upload = { ownerId, store, ...options, filename, sourcePath: file.path, kind, mimeType };
    return form.reserved.use(file.size, (settle) => this.files.add(upload, settle));
  }
}

/** What an upload tells beside the file; the words of the queue's own error stay in the log. */
export function toUploadFields(
  queuePending: boolean,
): Pick<TabularUploadResponse, 'upload_id' | 'queue_pending' | 'queue_error'> {
  return {
    upload_id: currentContext()?.requestId ?? newId(),
    ...(queuePending
      ? { queue_pending: true, queue_error: 'The queue could not be reached. The import will be tried again.' }
      : {}),
  };
}

function readFields(raw: Record<string, unknown>) {
  try {
    const fields = readDto(TabularUploadFields, raw, 'form');
    return {
      folder: normalizeFolder(fields.folder),
      headerRow: readHeaderRow(fields.header_row),
      delimiter: readDelimiter(fields.delimiter),
      encoding: readEncoding(fields.encoding),
    };
  } catch (error) {
    // Wrong form fields are reasons too: an upload has one shape of 400.
    if (!(error instanceof ValidationError)) throw error;
    const reasons = Object.entries(error.fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    throw new UploadRejectedError(reasons, { cause: error });
  }
}
