import { MetadataStore, OwnedMetadata } from '@app/auth';
import { Module } from '@nestjs/common';
import { MetadataController } from './metadata.controller.js';

@Module({ controllers: [MetadataController], providers: [MetadataStore, OwnedMetadata], exports: [MetadataStore] })
export class MetadataModule {}
