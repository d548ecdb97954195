import { Charts } from '@app/agents';
import { Module } from '@nestjs/common';
import { ChartsController } from './charts.controller.js';

@Module({ controllers: [ChartsController], providers: [Charts], exports: [Charts] })
export class ChartsModule {}
