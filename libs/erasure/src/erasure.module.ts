import { AuditLog } from '@app/audit';
import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ErasureRegistry } from './erasure-registry.js';
import { ErasureRunner } from './erasure-runner.js';
import { Erasures } from './erasures.js';

/** Erasure of accounts. Global; needs a `DataSource`, `QueuesModule` and `AuditModule`. */
@Global()
@Module({
  providers: [
    ErasureRegistry,
    Erasures,
    {
      provide: ErasureRunner,
      inject: [DataSource, ErasureRegistry, AuditLog],
      useFactory: (dataSource: DataSource, registry: ErasureRegistry, audit: AuditLog) =>
        new ErasureRunner(dataSource, registry, audit),
    },
  ],
  exports: [ErasureRegistry, Erasures, ErasureRunner],
})
export class ErasureModule {}
