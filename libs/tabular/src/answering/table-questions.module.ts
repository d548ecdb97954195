import { Clock, SystemClock } from '@app/common';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { QueryRunner } from '../query/query-runner.js';
import { TableProfiles } from './table-profiles.js';
import { TableQuestions } from './table-questions.js';

const MB = 1024 * 1024;

/** Stands on the app's IntegrationsModule. Global: an app has one limit of processes, whoever asks. */
@Module({})
export class TableQuestionsModule {
  static forRoot({ tableQueries }: AppConfig): DynamicModule {
    const { atOnce, seconds, memoryMb } = tableQueries;
    const limits = {
      totalMs: seconds * 1000,
      databaseMb: memoryMb,
      rssBytes: 2 * memoryMb * MB,
      // Node itself takes some 1.5 GB of addresses.
      addressSpaceBytes: (2 * memoryMb + 3072) * MB,
    };
    return {
      module: TableQuestionsModule,
      global: true,
      providers: [
        { provide: QueryRunner, useFactory: () => new QueryRunner(limits, atOnce) },
        TableProfiles,
        { provide: Clock, useClass: SystemClock },
        TableQuestions,
      ],
      exports: [QueryRunner, TableProfiles, TableQuestions],
    };
  }
}
