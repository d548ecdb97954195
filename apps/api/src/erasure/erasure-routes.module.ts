import { AccountAccess } from '@app/auth';
import { Module } from '@nestjs/common';
import { AccountDeletion } from './account-deletion.js';
import { DeletionController } from './deletion.controller.js';

@Module({ controllers: [DeletionController], providers: [AccountAccess, AccountDeletion] })
export class ErasureRoutesModule {}
