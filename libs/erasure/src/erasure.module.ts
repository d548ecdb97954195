import { Global, Module } from '@nestjs/common';
import { ErasureRegistry } from './erasure-registry.js';

/** Erasure and export of accounts. Global. */
@Global()
@Module({ providers: [ErasureRegistry], exports: [ErasureRegistry] })
export class ErasureModule {}
