import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { ReadinessChecks } from './readiness-checks.js';

@Module({ controllers: [HealthController], providers: [ReadinessChecks] })
export class HealthModule {}
