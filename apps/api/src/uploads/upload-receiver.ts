import { callbackify } from 'node:util';
import { PayloadTooLargeError } from '@app/common';
import { UPLOAD_SETTINGS, UploadRejectedError, type UploadSettings } from '@app/documents';
import { StorageQuota } from '@app/entitlements';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type IncomingFile, IncomingFiles } from './incoming-files.js';
import { UploadQuota } from './upload-quota.js';
import multer, { MulterError, type StorageEngine } from 'multer';

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
  /**
   * Whether files are refused one by one: those that are too large by their `isTooLarge`, those that do not fit into
   * what the user may store by `form.room`.
   */
  perFile?: boolean;
}

export interface ReceivedFile extends IncomingFile {
  /** As the client wrote it: not safe to store. */
  originalName: string;
  /** Not all of it was kept; in forms that are refused per file. */
  isTooLarge: boolean;
}

export interface ReceivedForm {
  files: ReceivedFile[];
  fields: Record<string, unknown>;
  /** What is kept free for the files: they are stored by `room.use`. */
  reserved: UploadQuota;
  /** Removes the files and gives unused room back; call it in any case. */
  discard(): Promise<void>;
}

/** Reads multipart forms and streams their files to disk. */
@Injectable()
export class UploadReceiver {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly incoming: IncomingFiles,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * @param userId whose storage the files will count against
   * @throws UploadRejectedError for a form that cannot be read, PayloadTooLargeError (also for a user without room);
   *   then nothing is left on disk
   */
  async receive(
    request: Request,
    response: Response,
    userId: number,
    { maxBytes = this.settings.maxUploadBytes, perFile = false, ...form }: FormToReceive,
  ): Promise<ReceivedForm> {
    const { maxFiles } = form;
    const limit = maxBytes * Math.min(maxFiles, MAX_LARGE_FILES) + FORM_OVERHEAD_BYTES;
    const announced = request.headers['content-length'];
    if (Number(announced) > limit) throw tooLarge(maxBytes);
    // Without a length it may become as large as it may be.
    const bytes = announced === undefined ? limit : Number(announced);
    const reserved = await UploadQuota.reserve(this.quota, userId, bytes, perFile);
    try {
      const { files, fields } = await this.read(request, response, { ...form, maxBytes, perFile }, limit);
      const discard = async () => {
        await reserved.release();
        await Promise.all(files.map((file) => this.incoming.remove(file.path)));
      };
      return { files, fields, reserved, discard };
    } catch (error) {
      await reserved.release();
      throw error;
    }
  }

  private async read(
    request: Request,
    response: Response,
    { field, maxFiles, maxBytes, perFile }: Required<FormToReceive>,
    formBytes: number,
  ): Promise<Pick<ReceivedForm, 'files' | 'fields'>> {
    const parse = multer({
      storage: this.engineFor(maxBytes, formBytes),
      defParamCharset: 'utf8',
      limits: {
        fileSize: perFile ? formBytes : maxBytes,
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
    const names = received.map(({ originalname }) => originalname);
    // The parser puts U+FFFD where bytes are no UTF-8.
    if ([...names, ...Object.entries((request.body ?? {}) as object)].flat(2).some(isReplaced)) {
      await Promise.all(received.map((file) => this.incoming.remove(file.path)));
      throw new UploadRejectedError(['The form is not UTF-8.'], { code: 'parse_error' });
    }
    const files = received.map((file) => {
      const { path, size, sha256 } = file as Express.Multer.File & IncomingFile;
      return { path, size, sha256, originalName: file.originalname, isTooLarge: size > maxBytes };
    });
    return { files, fields: { ...(request.body as Record<string, unknown> | undefined) } };
  }

  /** A form without a length may not go on for ever either. */
  private engineFor(maxBytes: number, formBytes: number): StorageEngine {
    let left = formBytes;
    const onBytes = (bytes: number) => {
      left -= bytes;
      if (left < 0) throw tooLarge(maxBytes);
    };
    return {
      _handleFile: callbackify((_request: Request, file: Express.Multer.File) =>
        this.incoming.write(file.stream, { maxBytes, onBytes }),
      ),
      _removeFile: callbackify((_request: Request, file: Express.Multer.File) => this.incoming.remove(file.path)),
    };
  }
}

const isReplaced = (text: unknown) => typeof text === 'string' && text.includes('\uFFFD');

/** In words for the uploader. */
export function tooLargeReason(maxBytes: number): string {
  const megabytes = Math.floor(maxBytes / 1024 / 1024);
  const limit = megabytes > 0 ? `${megabytes} MB` : `${maxBytes} bytes`;
  return `The file is too large: at most ${limit} are accepted.`;
}

function tooLarge(maxBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(tooLargeReason(maxBytes), { code: 'upload_too_large' });
}

function readable(error: unknown, { field, maxFiles, maxBytes }: Required<Omit<FormToReceive, 'perFile'>>): unknown {
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
