import { GrantedApprovals } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { Controller, Delete, Get, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { PageQuery, toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { ApprovalPage, toApprovalResponse } from './agent-approvals.dto.js';

/** What the caller has allowed the agent beforehand, with "session" or "always", to be seen and taken back. */
@ApiTags('Agent')
@PartOf('core')
@Controller('microservices/agent/approvals')
export class AgentApprovalsController {
  constructor(private readonly approvals: GrantedApprovals) {}

  @Get()
  @Route({
    summary: 'List what the agent may do without asking',
    description: 'The approvals that were given for good, with the tool and what each allows.',
    errors: 'fields',
    response: ApprovalPage,
  })
  async list(
    @CurrentUser() user: Principal,
    @Query() query: PageQuery,
    @Req() request: Request,
  ): Promise<ApprovalPage> {
    const at = toPageRequest(query);
    const { count, items } = await this.approvals.list(user.userId, at);
    return toPageResponse({ count, items: items.map(toApprovalResponse) }, at, request);
  }

  @Delete(':id/')
  @Route({
    summary: 'Have the agent ask again',
    description: 'Takes an approval back: the next call of that tool waits for an answer. 404 for approvals of others.',
    response: null,
  })
  async revoke(@CurrentUser() user: Principal, @IntegerParam('id') id: number): Promise<void> {
    await this.approvals.revoke(user.userId, id);
  }
}
