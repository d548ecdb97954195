import { InvalidRequestError, ValidationError } from '@app/common';
import { findableFolder, normalizeFolder } from '@app/documents';
import type { TabularFileRecord, TabularOptions } from '@app/tabular';
import { AnyField, ChoiceField, IntegerField, StringField, UuidField } from '../http/fields.js';
import { readDelimiter, readEncoding, readHeaderRow } from './import-options.js';

const HEADER_ROW = '`auto` (default), the row that names the columns counted from 1, or `none`.';
const DELIMITER = 'Of CSV: `auto` (default), one character, or `comma`, `semicolon`, `tab`, `pipe`.';
const ENCODING = 'Of CSV: `auto` (default), or a name such as `utf-8`, `utf-16le`, `windows-1256`.';

/** The text fields beside the file of an upload. */
export class TabularUploadFields {
  @StringField({ default: '', allowBlank: true, trim: false, description: 'Virtual folder; the root when empty.' })
  folder: string;

  @StringField({ default: 'auto', allowBlank: true, maxLength: 20, description: HEADER_ROW })
  header_row: string;

  @StringField({ default: 'auto', allowBlank: true, trim: false, maxLength: 20, description: DELIMITER })
  delimiter: string;

  @StringField({ default: 'auto', allowBlank: true, maxLength: 40, description: ENCODING })
  encoding: string;
}

/** What is not given stays as it was. */
export class RetryImportRequest {
  @AnyField({ optional: true, nullable: true, description: HEADER_ROW })
  header_row?: unknown;

  @StringField({ optional: true, nullable: true, allowBlank: true, trim: false, maxLength: 20, description: DELIMITER })
  delimiter?: string | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 40, description: ENCODING })
  encoding?: string | null;
}

const given = (value: unknown) => value !== undefined && value !== null;

/** @throws ValidationError */
export function toTabularOptions(fields: RetryImportRequest): Partial<TabularOptions> {
  return {
    ...(given(fields.header_row) ? { headerRow: readHeaderRow(String(fields.header_row)) } : {}),
    ...(given(fields.delimiter) ? { delimiter: readDelimiter(fields.delimiter!) } : {}),
    ...(given(fields.encoding) ? { encoding: readEncoding(fields.encoding!) } : {}),
  };
}

export class UpdateTabularFileRequest {
  @StringField({ allowBlank: true, trim: false, description: 'Empty for the root.' })
  folder: string;

  @AnyField({ optional: true, nullable: true, description: 'Refused unless unchanged: files are not renamed.' })
  filename?: unknown;

  @AnyField({ optional: true, nullable: true, description: 'As `filename`.' })
  name?: unknown;

  @AnyField({ optional: true, nullable: true, description: 'As `filename`.' })
  path?: unknown;
}

/** Clients may send a whole file back, so only a name that differs is an attempt. @throws InvalidRequestError */
export function refuseRename({ filename, name, path }: UpdateTabularFileRequest, file: TabularFileRecord): void {
  const differs = [filename, name].some((given) => given !== undefined && given !== file.filename);
  if (differs || (path !== undefined && path !== file.path))
    throw new InvalidRequestError('A file cannot be renamed; only its folder can change.', {
      code: 'rename_not_allowed',
    });
}

/** In the body or in the query. */
export class FolderChoice {
  @StringField({ optional: true, allowBlank: true, trim: false, description: 'Empty for the files of the root.' })
  folder?: string;
}

/** @throws ValidationError */
export function chosenFolder(body: FolderChoice, query: FolderChoice): string {
  const folder = body.folder ?? query.folder;
  if (folder === undefined) throw new ValidationError({ folder: ['This field is required.'] });
  return findableFolder(folder);
}

export class MoveTableFolderRequest {
  @StringField({ trim: false })
  from: string;

  @StringField({ allowBlank: true, trim: false, description: 'Empty for the root.' })
  to: string;
}

/** @throws ValidationError */
export function toFolderMove(body: MoveTableFolderRequest): { from: string; to: string } {
  const from = findableFolder(body.from, 'from');
  if (from === '') throw new ValidationError({ from: ['The root cannot be moved.'] });
  return { from, to: normalizeFolder(body.to, 'to') };
}

export class DeletedFileResponse {
  @ChoiceField(['deleted'])
  status: 'deleted';

  @UuidField()
  uid: string;
}

export class DeletedFolderResponse {
  @ChoiceField(['deleted'])
  status: 'deleted';

  @IntegerField()
  count: number;
}

export class MovedFolderResponse {
  @ChoiceField(['moved'])
  status: 'moved';

  @IntegerField()
  count: number;

  @StringField()
  from: string;

  @StringField()
  to: string;
}
