import { GrantedApprovals } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { DedicatedAgents } from '@app/dedicated-agent';
import { Controller, Delete, Get, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApprovalPage, toApprovalResponse } from '../agent-approvals/agent-approvals.dto.js';
import { PageQuery, toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';

/** What its owner has allowed the agent beforehand, with `session` or `always`: the same as for the agent in chats. */
@ApiTags('Dedicated agent')
@PartOf('dedicated_agent')
@Controller('microservices/dedicated-agent/grants')
export class AgentGrantsController {
  constructor(
    private readonly agents: DedicatedAgents,
    private readonly approvals: GrantedApprovals,
  ) {}

  @Get()
  @Route({
    summary: 'List what the dedicated agent may do without asking',
    description: 'Newest first, with the tool and what each allows.',
    errors: { 400: 'fields', 404: 'detail' },
    response: ApprovalPage,
  })
  async list(
    @CurrentUser() user: Principal,
    @Query() query: PageQuery,
    @Req() request: Request,
  ): Promise<ApprovalPage> {
    await this.agents.get(user.userId);
    const at = toPageRequest(query);
    const { count, items } = await this.approvals.list(user.userId, at);
    return toPageResponse({ count, items: items.map(toApprovalResponse) }, at, request);
  }

  @Delete(':id/')
  @Route({
    summary: 'Have the dedicated agent ask again',
    description: 'The next call of that tool waits for an answer. 404 for grants of others.',
    response: null,
  })
  async revoke(@CurrentUser() user: Principal, @IntegerParam('id') id: number): Promise<void> {
    await this.agents.get(user.userId);
    await this.approvals.revoke(user.userId, id);
  }
}
