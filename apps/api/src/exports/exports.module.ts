import { Exports } from '@app/auth';
import { Module } from '@nestjs/common';
import { ExportsController } from './exports.controller.js';

@Module({ controllers: [ExportsController], providers: [Exports] })
export class ExportsModule {}
