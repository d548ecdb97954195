import { callbackify } from 'node:util';
import { PayloadTooLargeError } from '@app/common';
import { UploadRejectedError } from '@app/documents';
import { StorageQuota } from '@app/entitlements';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import multer, { MulterError, type StorageEngine } from 'multer';
import { IncomingFiles, type IncomingFile } from './incoming-files.js';
import { UploadRoom } from './upload-room.js';
import { UPLOAD_SETTINGS, type UploadSettings } from './upload-settings.js';

/** Fields, part headers and boundaries around the file itself. */
const FORM_OVERHEAD_BYTES = 1024 * 1024;
const MAX_FIELDS = 30;
/** A form of many files may be as large as so many of the largest. */
const MAX_LARGE_FILES = 5;

/** What a route takes. */
export interface FormToReceive {
  /** Name of the form field that carries the files. */
  field: string;
  maxFiles: number;
  /** Of one file; the deployment's limit unless told. */
  maxBytes?: number;
  /** Whether files that do not fit into what the user may store are refused one by one, by `form.room`. */
  roomPerFile?: boolean;
}

export interface ReceivedFile extends IncomingFile {
  /** As the client wrote it: not safe to store. */
  originalName: string;
}

export interface ReceivedForm {
  files: ReceivedFile[];
  fields: Record<string, unknown>;
  /** What is kept free for the files: they are stored by `room.use`. */
  room: UploadRoom;
  /** Removes the files and gives unused room back; call it in any case. */
  discard(): Promise<void>;
}

/** Reads multipart forms and streams their files to disk. */
@Injectable()
export class UploadReceiver {
  private readonly engine: StorageEngine;

  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly incoming: IncomingFiles,
    private readonly quota: StorageQuota,
  ) {
    this.engine = {
      _handleFile: callbackify((_request: Request, file: Express.Multer.File) => incoming.write(file.stream)),
      _removeFile: callbackify((_request: Request, file: Express.Multer.File) => incoming.remove(file.path)),
    };
  }

  /**
   * @param userId whose storage the files will count against
   * @throws UploadRejectedError for a form that cannot be read, PayloadTooLargeError (also for a user without room);
   *   then nothing is left on disk
   */
  async receive(
    request: Request,
    response: Response,
    userId: number,
    { maxBytes = this.settings.maxUploadBytes, roomPerFile = false, ...form }: FormToReceive,
  ): Promise<ReceivedForm> {
    const { maxFiles } = form;
    const limit = maxBytes * Math.min(maxFiles, MAX_LARGE_FILES) + FORM_OVERHEAD_BYTES;
    const announced = request.headers['content-length'];
    if (Number(announced) > limit) throw tooLarge(maxBytes);
    // Without a length it may become as large as it may be.
    const bytes = announced === undefined ? limit : Number(announced);
    const room = await UploadRoom.reserve(this.quota, userId, bytes, roomPerFile);
    try {
      const { files, fields } = await this.read(request, response, { ...form, maxBytes });
      const discard = async () => {
        await room.release();
        await Promise.all(files.map((file) => this.incoming.remove(file.path)));
      };
      return { files, fields, room, discard };
    } catch (error) {
      await room.release();
      throw error;
    }
  }

  private async read(
    request: Request,
    response: Response,
    { field, maxFiles, maxBytes }: Required<Omit<FormToReceive, 'roomPerFile'>>,
  ): Promise<Pick<ReceivedForm, 'files' | 'fields'>> {
    const parse = multer({
      storage: this.engine,
      defParamCharset: 'utf8',
      limits: {
        fileSize: maxBytes,
        fields: MAX_FIELDS,
        fieldSize: 64 * 1024,
        fieldNestingDepth: 1,
      },
    }).array(field, maxFiles);
    await new Promise<void>((done, fail) => {
      void parse(request, response, (error?: unknown) =>
        error ? fail(readable(error, { field, maxFiles, maxBytes })) : done(),
      );
    });
    const received = Array.isArray(request.files) ? request.files : [];
    const files = received.map((file) => {
      const { path, size, sha256 } = file as Express.Multer.File & IncomingFile;
      return { path, size, sha256, originalName: file.originalname };
    });
    return { files, fields: { ...(request.body as Record<string, unknown> | undefined) } };
  }
}

function tooLarge(maxBytes: number): PayloadTooLargeError {
  const megabytes = Math.floor(maxBytes / 1024 / 1024);
  const limit = megabytes > 0 ? `${megabytes} MB` : `${maxBytes} bytes`;
  return new PayloadTooLargeError(`The file is too large: at most ${limit} are accepted.`, {
    code: 'upload_too_large',
  });
}

function readable(
  error: unknown,
  { field, maxFiles, maxBytes }: Required<Omit<FormToReceive, 'roomPerFile'>>,
): unknown {
  if (error instanceof MulterError) {
    if (error.code === 'LIMIT_FILE_SIZE') return tooLarge(maxBytes);
    return new UploadRejectedError([multerReason(error, field, maxFiles)], { code: 'parse_error', cause: error });
  }
  // Errors of the file system have a code; those of the form's parser have none.
  if (typeof error === 'object' && error !== null && 'code' in error) return error;
  return new UploadRejectedError(['The upload could not be read: the multipart form is broken or incomplete.'], {
    code: 'parse_error',
    cause: error,
  });
}

function multerReason(error: MulterError, field: string, maxFiles: number): string {
  switch (error.code) {
    case 'LIMIT_UNEXPECTED_FILE':
      if (error.field !== field) return `Send the file in the form field "${field}".`;
      return maxFiles === 1 ? 'Send exactly one file.' : `Send at most ${maxFiles} files.`;
    case 'LIMIT_FIELD_VALUE':
      return `The form field "${error.field ?? ''}" is too long.`;
    default:
      return 'The form has too many or too long fields.';
  }
}
