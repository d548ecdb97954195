import { CurrentUser, type Principal } from '@app/auth';
import { BudgetCaps, DedicatedAgents } from '@app/dedicated-agent';
import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  AgentBudgetRequest,
  AgentBudgetResponse,
  toAgentBudgetResponse,
  toStoredCaps,
  WIRE_CAPS,
} from './agent-budget.dto.js';

/** What a dedicated agent may spend (docs/contract/dedicated-agent.md#budget). */
@ApiTags('Dedicated agent')
@PartOf('dedicated_agent')
@Controller('microservices/dedicated-agent/budget')
export class AgentBudgetController {
  constructor(
    private readonly agents: DedicatedAgents,
    private readonly caps: BudgetCaps,
  ) {}

  @Get()
  @Route({
    summary: 'Get the budget of the agent',
    description:
      'Caps of each run, each job, the day and the month, what is spent, and what is set aside. Days and months are UTC.',
    errors: { 404: 'detail' },
    scope: 'chats:write',
    response: AgentBudgetResponse,
  })
  async get(@CurrentUser() { userId }: Principal): Promise<AgentBudgetResponse> {
    await this.agents.get(userId);
    return toAgentBudgetResponse((await this.caps.find(userId))!);
  }

  @Put()
  @Route({
    summary: 'Set caps of the agent',
    description:
      "All of the owner's at once: what is left out or null is no cap. They hold from the next call of a model on, and stay below the operator's.",
    errors: { 400: 'fields', 404: 'detail' },
    scope: 'chats:write',
    response: AgentBudgetResponse,
  })
  async set(@CurrentUser() user: Principal, @Body() body: AgentBudgetRequest): Promise<AgentBudgetResponse> {
    await this.agents.get(user.userId);
    const { userId, username } = user;
    const view = await this.caps.setOwn(userId, toStoredCaps(body), { userId, username }, (cap) => WIRE_CAPS[cap]);
    return toAgentBudgetResponse(view!);
  }
}
