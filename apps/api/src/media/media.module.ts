import { ReadyExports } from '@app/auth';
import { Clock, SystemClock } from '@app/common';
import { DocumentMedia, OwnFiles, PermanentLinks, ThumbnailFiles } from '@app/documents';
import { TabularMedia } from '@app/tabular';
import { WorkflowMedia } from '@app/workflows';
import { Global, Module } from '@nestjs/common';
import { MediaFiles } from './media-files.js';
import { MediaLinks } from './media-links.js';
import { MediaSigner } from './media-signer.js';
import { MediaController } from './media.controller.js';

/** Files by signed address. Stands on the app's database and IntegrationsModule. Global for `MediaLinks`. */
@Global()
@Module({
  controllers: [MediaController],
  providers: [
    MediaSigner,
    { provide: Clock, useClass: SystemClock },
    ThumbnailFiles,
    TabularMedia,
    WorkflowMedia,
    DocumentMedia,
    ReadyExports,
    MediaFiles,
    { provide: OwnFiles, useExisting: MediaFiles },
    PermanentLinks,
    MediaLinks,
  ],
  exports: [MediaLinks, MediaFiles, PermanentLinks],
})
export class MediaModule {}
