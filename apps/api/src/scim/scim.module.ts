import {
  AccountAccess,
  Adoption,
  ScimGroups,
  ScimTokens,
  ScimTransactions,
  ScimUsers,
  ScimUserWrites,
} from '@app/auth';
import { Module } from '@nestjs/common';
import { ScimDiscoveryController } from './discovery/discovery.controller.js';
import { ScimGroupsController } from './groups/groups.controller.js';
import { ScimUsersController } from './users/users.controller.js';

/** Directories of organisations keep accounts and groups here (RFC 7643, RFC 7644). */
@Module({
  controllers: [ScimDiscoveryController, ScimUsersController, ScimGroupsController],
  providers: [AccountAccess, ScimTokens, ScimTransactions, ScimUsers, ScimUserWrites, Adoption, ScimGroups],
  exports: [ScimTokens],
})
export class ScimModule {}
