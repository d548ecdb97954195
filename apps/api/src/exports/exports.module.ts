import { Module } from '@nestjs/common';
import { Exports } from './exports.js';
import { ExportsController } from './exports.controller.js';

@Module({ controllers: [ExportsController], providers: [Exports] })
export class ExportsModule {}
