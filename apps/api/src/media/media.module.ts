import { Clock, SystemClock } from '@app/common';
import { Global, Module } from '@nestjs/common';
import { MediaFiles } from './media-files.js';
import { MediaLinks } from './media-links.js';
import { MediaSigner } from './media-signer.js';
import { TabularMedia } from './tabular-media.js';
import { ThumbnailFiles } from './thumbnail-files.js';
import { WorkflowMedia } from './workflow-media.js';
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
    MediaFiles,
    MediaLinks,
  ],
  exports: [MediaLinks, MediaFiles],
})
export class MediaModule {}
