import { AuditLog } from '@app/audit';
import { WorkClaims } from '@app/work';
import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ErasureRegistry } from './erasure-registry.js';
import { ErasureRunner } from './erasure-runner.js';
import { Erasures } from './erasures.js';

/** Erasure of accounts. Global; needs a `DataSource`, `WorkModule` and `AuditModule`. */
@Global()
@Module({
  providers: [
    ErasureRegistry,
    Erasures,
    {
      provide: ErasureRunner,
      inject: [DataSource, WorkClaims, ErasureRegistry, AuditLog],
      useFactory: (dataSource: DataSource, claims: WorkClaims, registry: ErasureRegistry, audit: AuditLog) =>
        new ErasureRunner(dataSource, claims, registry, audit),
    },
  ],
  exports: [ErasureRegistry, Erasures, ErasureRunner],
})
export class ErasureModule {}
