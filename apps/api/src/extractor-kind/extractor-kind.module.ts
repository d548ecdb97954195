import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { EXTRACTOR } from './extractor-kind.js';

/** Tells everybody which extractor this deployment has. */
@Module({})
export class ExtractorKindModule {
  static forRoot({ extractor }: AppConfig): DynamicModule {
    return {
      module: ExtractorKindModule,
      global: true,
      providers: [{ provide: EXTRACTOR, useValue: extractor.kind }],
      exports: [EXTRACTOR],
    };
  }
}
