import type { AppConfig } from '@app/config';
import { toUploadSettings, UPLOAD_SETTINGS } from '@app/documents';
import { type DynamicModule, Module } from '@nestjs/common';
import { IncomingFiles } from './incoming-files.js';
import { UploadReceiver } from './upload-receiver.js';

/** How files come in over HTTP, for every store that takes them. Global: `@ReceivesFiles` works on any route. */
@Module({})
export class UploadsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: UploadsModule,
      global: true,
      providers: [{ provide: UPLOAD_SETTINGS, useValue: toUploadSettings(config) }, IncomingFiles, UploadReceiver],
      exports: [UPLOAD_SETTINGS, IncomingFiles, UploadReceiver],
    };
  }
}
