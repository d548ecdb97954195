import { Module } from '@nestjs/common';
import { ModelCatalog } from './model-catalog.js';
import { ProfileController } from './profile.controller.js';
import { Profiles } from './profiles.js';

@Module({ controllers: [ProfileController], providers: [ModelCatalog, Profiles], exports: [ModelCatalog, Profiles] })
export class ProfileModule {}
