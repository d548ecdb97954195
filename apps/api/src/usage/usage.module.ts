import { Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { PeopleUsage } from './people-usage.js';
import { UsageController } from './usage.controller.js';
import { UsageView } from './usage-view.js';

@Module({ imports: [ProfileModule], controllers: [UsageController], providers: [PeopleUsage, UsageView] })
export class UsageModule {}
