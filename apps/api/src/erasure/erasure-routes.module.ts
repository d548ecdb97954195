import { AccountAccess } from '@app/auth';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { Module } from '@nestjs/common';
import { AccountDeletion } from './account-deletion.js';
import { DeletionController } from './deletion.controller.js';

@Module({
  imports: [OrganizationsModule],
  controllers: [DeletionController],
  providers: [AccountAccess, AccountDeletion],
})
export class ErasureRoutesModule {}
