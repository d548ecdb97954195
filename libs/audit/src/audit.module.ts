import { Global, Module } from '@nestjs/common';
import { AuditChain } from './audit-chain.js';
import { AuditLog } from './audit-log.js';
import { AuditReader } from './audit-reader.js';

/** The audit log. Global; needs a `DataSource` and `QueuesModule`. */
@Global()
@Module({ providers: [AuditLog, AuditChain, AuditReader], exports: [AuditLog, AuditChain, AuditReader] })
export class AuditModule {}
