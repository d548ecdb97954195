import { VectorSizes } from '@app/retrieval';
import { Module } from '@nestjs/common';
import { PeopleUsage } from './people-usage.js';
import { UsageController } from './usage.controller.js';
import { UsageView } from './usage-view.js';

@Module({ controllers: [UsageController], providers: [PeopleUsage, UsageView, VectorSizes] })
export class UsageModule {}
