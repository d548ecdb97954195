import { Module } from '@nestjs/common';
import { AccountDeletion } from './account-deletion.js';
import { DeletionController } from './deletion.controller.js';

@Module({ controllers: [DeletionController], providers: [AccountDeletion] })
export class ErasureRoutesModule {}
