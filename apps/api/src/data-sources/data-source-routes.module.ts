import { DataSourceEdits } from '@app/data-sources';
import { Module } from '@nestjs/common';
import { DataSourcesController } from './data-sources.controller.js';

/** Connected databases over HTTP (docs/contract/data-sources.md). */
@Module({ controllers: [DataSourcesController], providers: [DataSourceEdits] })
export class DataSourceRoutesModule {}
