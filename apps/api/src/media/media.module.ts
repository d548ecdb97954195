import { Clock, SystemClock } from '@app/common';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { MediaController } from './media.controller.js';
import { MediaLinks } from './media-links.js';
import { MediaFiles } from './media-files.js';
import { MediaSigner } from './media-signer.js';

/** Files by signed address. Stands on the app's database and IntegrationsModule. */
@Module({})
export class MediaModule {
  static forRoot({ secrets }: AppConfig): DynamicModule {
    return {
      module: MediaModule,
      global: true,
      controllers: [MediaController],
      providers: [
        { provide: MediaSigner, useFactory: () => new MediaSigner(Buffer.from(secrets.key, 'base64')) },
        { provide: Clock, useClass: SystemClock },
        MediaFiles,
        MediaLinks,
      ],
      exports: [MediaLinks],
    };
  }
}
