import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { KeyRing } from './key-ring.js';
import { KeyRotation } from './key-rotation.js';
import { SealingService } from './sealing.service.js';

/** Secrets at rest. Global: every domain that keeps one injects `SealingService`. */
@Module({})
export class SecretsModule {
  static forRoot({ secrets }: AppConfig): DynamicModule {
    return {
      module: SecretsModule,
      global: true,
      providers: [
        { provide: KeyRing, useFactory: () => new KeyRing(secrets.key, secrets.previousKeys) },
        { provide: SealingService, inject: [KeyRing], useFactory: (ring: KeyRing) => new SealingService(ring) },
        KeyRotation,
      ],
      exports: [KeyRing, SealingService, KeyRotation],
    };
  }
}
