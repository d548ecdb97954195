import { ValidationError } from '@app/common';
import {
  normalizeFolder,
  sanitizeFilename,
  UPLOAD_SETTINGS,
  UploadRejectedError,
  type UploadSettings,
  type ZipBudget,
} from '@app/documents';
import { Inject, Injectable } from '@nestjs/common';
import { IncomingFiles } from '../../uploads/incoming-files.js';
import { type ReceivedFile, tooLargeReason } from '../../uploads/upload-receiver.js';
import { type ScreenedUpload, UploadsService } from './uploads.service.js';
import { isZip, ZipUploads } from './zip-uploads.js';

/** One item of a batch before anything is kept: a file of the form, or of an archive in it. */
export interface BatchCandidate {
  filename: string;
  /** Normalised; with the folders of the archive. */
  folder: string;
  /** Name of the archive; '' for a file of the form. */
  archive: string;
  /** What may be kept, or why it may not. */
  outcome: ScreenedUpload | UploadRejectedError;
}

export interface BatchToKeep {
  candidates: BatchCandidate[];
  /** Removes what was unpacked; call it in any case. */
  discard(): Promise<void>;
}

/** Looks at all files of a batch before the first is kept: a scanner that is down refuses all of it, not the rest. */
@Injectable()
export class BatchIntake {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly incoming: IncomingFiles,
    private readonly uploads: UploadsService,
    private readonly archives: ZipUploads,
  ) {}

  /**
   * @param folder normalised
   * @throws UnavailableError when the scanner cannot be asked; then nothing is left of what was unpacked
   */
  async gather(files: readonly ReceivedFile[], folder: string): Promise<BatchToKeep> {
    const candidates: BatchCandidate[] = [];
    const unpacked: string[] = [];
    const discard = async () => {
      for (const path of unpacked) await this.incoming.remove(path);
    };
    const budget = this.archives.newBudget();
    try {
      for (const file of files)
        if (isZip(file.originalName)) await this.gatherArchive(file, folder, { budget, candidates, unpacked });
        else candidates.push(await this.look(file, folder, ''));
    } catch (error) {
      await discard();
      throw error;
    }
    return { candidates, discard };
  }

  private async gatherArchive(
    archive: ReceivedFile,
    folder: string,
    { budget, candidates, unpacked }: { budget: ZipBudget; candidates: BatchCandidate[]; unpacked: string[] },
  ): Promise<void> {
    const name = sanitizeFilename(archive.originalName);
    try {
      if (archive.isTooLarge) throw this.tooLarge();
      for await (const { folder: inner, file, refusal } of this.archives.unpack(archive, budget)) {
        if (file.path !== '') unpacked.push(file.path);
        const place = placeOf(folder, inner);
        const wrong = refusal ?? (place instanceof UploadRejectedError ? place : null);
        const filename = sanitizeFilename(file.originalName);
        candidates.push(
          wrong === null
            ? await this.look(file, place as string, name)
            : { filename, folder: typeof place === 'string' ? place : folder, archive: name, outcome: wrong },
        );
      }
    } catch (error) {
      if (!(error instanceof UploadRejectedError)) throw error;
      candidates.push({ filename: name, folder, archive: '', outcome: error });
    }
  }

  /** A file that is refused does not stop the others. */
  private async look(file: ReceivedFile, folder: string, archive: string): Promise<BatchCandidate> {
    const about = { filename: sanitizeFilename(file.originalName), folder, archive };
    try {
      if (file.isTooLarge) throw this.tooLarge();
      return { ...about, outcome: await this.uploads.screen(file) };
    } catch (error) {
      if (!(error instanceof UploadRejectedError)) throw error;
      return { ...about, outcome: error };
    }
  }

  private tooLarge(): UploadRejectedError {
    return new UploadRejectedError([tooLargeReason(this.settings.maxUploadBytes)]);
  }
}

/** Folders of an archive stand within the one that was asked for. */
function placeOf(folder: string, inner: string): string | UploadRejectedError {
  try {
    return normalizeFolder(`${folder}/${inner}`);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const reasons = Object.values(error.fields).flat();
    return new UploadRejectedError([`Its folder cannot be made: ${reasons.join(' ')}`], { cause: error });
  }
}
