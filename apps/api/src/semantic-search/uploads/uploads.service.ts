import { ValidationError } from '@app/common';
import {
  DocumentStore,
  FileScreening,
  normalizeFolder,
  sanitizeFilename,
  UploadRejectedError,
  type Delivery,
  type DocumentRecord,
  type InspectedUpload,
  type QueueClass,
} from '@app/documents';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ReceivedFile } from '../../uploads/upload-receiver.js';
import type { UploadQuota } from '../../uploads/upload-quota.js';
import { isZip, ZIP_WANTS_A_BATCH } from './zip-uploads.js';

export interface UploadOptions {
  /** As the client wrote it. */
  folder: string;
  ocr: boolean;
  /** Checked by `checkOcrLanguages`. */
  ocrLanguages: string[];
  train: boolean;
  externalDriveItemId: string | null;
  /** Who waits for it; somebody, unless told. */
  queueClass?: QueueClass;
}

export interface Uploaded {
  document: DocumentRecord;
  delivery: Delivery | null;
  /** The file had been imported before: nothing was stored, the document is shown to the uploader. */
  imported: boolean;
}

/** A received file that may be kept. */
export interface ScreenedUpload extends Pick<InspectedUpload, 'kind' | 'mimeType'> {
  file: ReceivedFile;
  /** Sanitised. */
  filename: string;
}

/** Of several requests with one item of a drive another one came first. */
class ImportedMeanwhile extends Error {
  constructor(readonly document: DocumentRecord) {
    super('The item was imported meanwhile.');
  }
}

/** From a received file to a document. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly store: DocumentStore,
    private readonly screening: FileScreening,
  ) {}

  /** @throws UploadRejectedError with the reasons why the file is not taken; StorageLimitExceededError */
  async add(ownerId: number, file: ReceivedFile, options: UploadOptions, reserved: UploadQuota): Promise<Uploaded> {
    readFolder(options.folder);
    if (isZip(file.originalName)) throw new UploadRejectedError([ZIP_WANTS_A_BATCH]);
    return this.keep(ownerId, await this.screen(file), options, reserved);
  }

  /** @throws UploadRejectedError with the reasons why the file is not taken */
  async screen(file: ReceivedFile): Promise<ScreenedUpload> {
    const filename = sanitizeFilename(file.originalName);
    const { kind, mimeType } = await this.screening.screen({ path: file.path, filename, sizeBytes: file.size });
    return { file, filename, kind, mimeType };
  }

  /**
   * @param alongside what stands or falls with the document; it does not run for one that was imported before
   * @throws UploadRejectedError for an impossible folder; StorageLimitExceededError
   */
  async keep(
    ownerId: number,
    { file, filename, kind, mimeType }: ScreenedUpload,
    options: UploadOptions,
    reserved: UploadQuota,
    alongside: (document: DocumentRecord, tx: EntityManager) => Promise<void> = async () => {},
  ): Promise<Uploaded> {
    const folder = readFolder(options.folder);
    const { externalDriveItemId, ocr, ocrLanguages, train, queueClass = 'interactive' } = options;
    if (externalDriveItemId !== null) {
      const known = await this.store.findImported(ownerId, externalDriveItemId, file.sha256);
      if (known) return this.show(known, ownerId);
    }
    const document = {
      ownerId,
      folder,
      filename,
      sourcePath: file.path,
      kind,
      mimeType,
      ocr,
      ocrLanguages,
      train,
      externalDriveItemId,
      queueClass,
    };
    try {
      const added = await reserved.use(file.size, (settle) =>
        this.store.add(document, async (row, tx) => {
          const other = await this.store.findOtherImport(row, tx);
          if (other) throw new ImportedMeanwhile(other);
          await settle(tx);
          await alongside(row, tx);
        }),
      );
      return { ...added, imported: false };
    } catch (error) {
      if (!(error instanceof ImportedMeanwhile)) throw error;
      return this.show(error.document, ownerId);
    }
  }

  private async show(document: DocumentRecord, userId: number): Promise<Uploaded> {
    await this.store.share(document, userId);
    return { document, delivery: null, imported: true };
  }
}

function readFolder(raw: string): string {
  try {
    return normalizeFolder(raw);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Wrong form fields are reasons too: an upload has one shape of 400. */
export function asRefusal(error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error;
  const reasons = Object.entries(error.fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
  return new UploadRejectedError(reasons, { cause: error });
}
