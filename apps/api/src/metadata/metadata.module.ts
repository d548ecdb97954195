import { MetadataStore } from '@app/auth';
import { Module } from '@nestjs/common';
import { MetadataController } from './metadata.controller.js';

@Module({ controllers: [MetadataController], providers: [MetadataStore], exports: [MetadataStore] })
export class MetadataModule {}
