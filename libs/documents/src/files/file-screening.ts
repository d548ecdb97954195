import { Antivirus } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { inspectUpload, type InspectedUpload, type UploadToInspect } from './inspect-upload.js';
import { UploadRejectedError } from './upload-rejected.error.js';

/** The one way into every store: what a file is, and whether it may be kept (docs/contract/reliability.md#uploads). */
@Injectable()
export class FileScreening {
  constructor(private readonly antivirus: Antivirus) {}

  /**
   * @throws UploadRejectedError with the reasons, `upload_blocked` when something harmful was found;
   *   UnavailableError (`scanner_unavailable`) when the configured scanner cannot be asked
   */
  async screen(upload: UploadToInspect): Promise<InspectedUpload> {
    const inspected = await inspectUpload(upload);
    const verdict = await this.antivirus.scan(upload.path);
    if (!verdict.clean)
      throw new UploadRejectedError([`A virus was found in the file: ${verdict.threat}.`], { code: 'upload_blocked' });
    return inspected;
  }
}
