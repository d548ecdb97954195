import { Module } from '@nestjs/common';
import { MetadataController } from './metadata.controller.js';
import { MetadataStore } from './metadata.store.js';
import { OwnedMetadata } from './owned-metadata.js';

@Module({ controllers: [MetadataController], providers: [MetadataStore, OwnedMetadata], exports: [MetadataStore] })
export class MetadataModule {}
