import { Global, Module } from '@nestjs/common';
import { Erasures } from './erasures.js';

/** Asking for erasures of accounts. Global; needs a `DataSource`, `WorkModule` and `AuditModule`. */
@Global()
@Module({ providers: [Erasures], exports: [Erasures] })
export class ErasureModule {}
