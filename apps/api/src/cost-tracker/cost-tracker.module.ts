import { Module } from '@nestjs/common';
import { CostTrackerController } from './cost-tracker.controller.js';

@Module({ controllers: [CostTrackerController] })
export class CostTrackerModule {}
