import { CurrentUser, type Principal } from '@app/auth';
import { TableGrants } from '@app/extraction';
import { Body, Controller, Delete, Get, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam, UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { type SlowLimit, SlowLimiter } from '../../http/slow-limiter.js';
import { ExtractorGuard } from '../extractor.guard.js';
import { GrantedResponse, GrantRequest, GrantResponse, toGrantedResponse, toGrantResponse } from './grant.dto.js';

/** Each one asks of up to 50 addresses whether they have an account. */
const GRANTING: SlowLimit = { bucket: 'table-grants', limit: 60, seconds: 3600 };

/** Who reads or changes a table beside its owner (docs/contract/extracted-tables.md#who-may-do-what). */
@ApiTags('Extracted tables')
@PartOf('core')
@Controller('microservices/data-extractor/table/:tableId')
@UseGuards(ExtractorGuard)
export class TableGrantsController {
  constructor(
    private readonly grants: TableGrants,
    private readonly limiter: SlowLimiter,
  ) {}

  @Get('grants')
  @Route({
    summary: 'List who has access to a table',
    description: 'Beside its owner, who alone may ask.',
    scope: 'documents:read',
    response: [GrantResponse],
  })
  async list(@CurrentUser() user: Principal, @UuidParam('tableId') tableId: string): Promise<GrantResponse[]> {
    return (await this.grants.list(user.userId, tableId)).map(toGrantResponse);
  }

  @Post('grants')
  @Route({
    summary: 'Give access to a table, or another role',
    description: 'Viewers read, editors change rows, columns and name. Only the owner may.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: GrantedResponse,
    startsSomething: true,
  })
  async add(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @Body() { emails, role }: GrantRequest,
  ): Promise<GrantedResponse> {
    await this.limiter.hit(GRANTING, String(user.userId));
    return toGrantedResponse(await this.grants.add(user, tableId, emails, role));
  }

  @Delete('grants/:userId')
  @Route({
    summary: 'Take access to a table back, or leave it',
    description: 'It ends with the next request of that person.',
    scope: 'documents:write',
    response: null,
  })
  async remove(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @IntegerParam('userId') userId: number,
  ): Promise<void> {
    await this.grants.remove(user, tableId, userId);
  }
}
