import { CurrentUser, type Principal } from '@app/auth';
import { StorageQuota } from '@app/entitlements';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { StorageResponse, toStorageResponse } from './storage.dto.js';

@ApiTags('Profile')
@PartOf('core')
@Controller('users/storage')
export class StorageController {
  constructor(private readonly quota: StorageQuota) {}

  @Get('/')
  @Route({
    summary: 'How much I store, and may store',
    description:
      'Bytes of files, and the quota: of the account, or of all members together where their organisation has a plan.',
    scope: 'documents:read',
    response: StorageResponse,
  })
  async usage(@CurrentUser() user: Principal): Promise<StorageResponse> {
    return toStorageResponse(await this.quota.usageOf(user.userId));
  }
}
