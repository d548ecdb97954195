import { Global, Module } from '@nestjs/common';
import { HealthRegistry } from './health.js';

@Global()
@Module({ providers: [HealthRegistry], exports: [HealthRegistry] })
export class ObservabilityModule {}
