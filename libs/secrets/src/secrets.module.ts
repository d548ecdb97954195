import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { KeyRing } from './key-ring.js';
import { SealingService } from './sealing.service.js';

/** Secrets at rest. Global: every domain that keeps one injects `SealingService`. */
@Module({})
export class SecretsModule {
  static forRoot({ secrets }: AppConfig): DynamicModule {
    return {
      module: SecretsModule,
      global: true,
      providers: [
        {
          provide: SealingService,
          useFactory: () => new SealingService(new KeyRing(secrets.key, secrets.previousKeys)),
        },
      ],
      exports: [SealingService],
    };
  }
}
