import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { SourceProbe } from './probe/source-probe.js';
import { SchemaBrowser } from './schema/schema-browser.js';
import { SourceGuard } from './sources/source-guard.js';
import { SourceSessions } from './sessions/source-sessions.js';
import { SourceOutcomes } from './sources/source-outcomes.js';
import { DataSources } from './sources/data-sources.js';
import { StoredSources } from './sources/stored-source.js';

const SERVICES = [DataSources, SourceSessions, SchemaBrowser, SourceProbe];

/** The databases that people connect: what they are, and statements at them. */
@Module({})
export class DataSourcesModule {
  static forRoot({ dataSources }: AppConfig): DynamicModule {
    return {
      module: DataSourcesModule,
      global: true,
      providers: [
        { provide: SourceGuard, useFactory: () => new SourceGuard({ allowedHosts: dataSources.hosts }) },
        SourceOutcomes,
        StoredSources,
        ...SERVICES,
      ],
      exports: [SourceGuard, StoredSources, ...SERVICES],
    };
  }
}
