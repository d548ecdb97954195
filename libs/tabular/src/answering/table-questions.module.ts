import { Module } from '@nestjs/common';
import { QueryRunner } from '../query/query-runner.js';
import { TableQuestions } from './table-questions.js';

/** Stands on the app's IntegrationsModule. */
@Module({
  providers: [{ provide: QueryRunner, useFactory: () => new QueryRunner() }, TableQuestions],
  exports: [QueryRunner, TableQuestions],
})
export class TableQuestionsModule {}
