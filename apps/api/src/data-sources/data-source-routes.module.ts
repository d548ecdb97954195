import { DataSourceEdits } from '@app/data-sources';
import { Module } from '@nestjs/common';
import { DataSourceSchemaController } from './data-source-schema.controller.js';
import { DataSourcesController } from './data-sources.controller.js';

/** Connected databases over HTTP (docs/contract/data-sources.md). */
@Module({ controllers: [DataSourcesController, DataSourceSchemaController], providers: [DataSourceEdits] })
export class DataSourceRoutesModule {}
