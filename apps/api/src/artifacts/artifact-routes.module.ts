import { Module } from '@nestjs/common';
import { ArtifactsController } from './artifacts.controller.js';

/** Artifacts over HTTP (docs/contract/artifacts.md). */
@Module({ controllers: [ArtifactsController] })
export class ArtifactRoutesModule {}
