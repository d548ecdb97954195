import { Module } from '@nestjs/common';
import { ChartsController } from './charts.controller.js';
import { Charts } from './charts.js';

@Module({ controllers: [ChartsController], providers: [Charts], exports: [Charts] })
export class ChartsModule {}
