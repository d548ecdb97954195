import { Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller.js';
import { PublishedDocument } from './published-document.js';

@Module({ controllers: [OpenApiController], providers: [PublishedDocument], exports: [PublishedDocument] })
export class OpenApiModule {}
