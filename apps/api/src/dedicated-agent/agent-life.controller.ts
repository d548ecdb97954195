import { CurrentUser, type Principal } from '@app/auth';
import { NotFoundError } from '@app/common';
import { AgentLife, AgentRuns, DedicatedAgents } from '@app/dedicated-agent';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { AgentStateResponse, ResumeAgentRequest } from './agent-life.dto.js';

/** Stops and goes of a dedicated agent. */
@ApiTags('Dedicated agent')
@PartOf('dedicated_agent')
@Controller('microservices/dedicated-agent')
export class AgentLifeController {
  constructor(
    private readonly agents: DedicatedAgents,
    private readonly life: AgentLife,
    private readonly runs: AgentRuns,
  ) {}

  @Post('kill/')
  @Route({
    forViewers: true,
    summary: 'Pause the agent',
    description:
      'First nothing new begins, then what is at work is asked to stop. Staff or an operator resume it. 404 without an agent.',
    errors: { 404: 'detail' },
    scope: 'chats:write',
    response: AgentStateResponse,
    open: true,
  })
  async kill(@CurrentUser() user: Principal): Promise<AgentStateResponse> {
    const agent = await this.agents.get(user.userId);
    const paused = await this.life.pause(user.userId, user, 'Paused by its owner.');
    const stopped = await this.runs.stopAll(user.userId);
    const status = paused?.status ?? agent.status;
    return { success: true, status, note: noteOf(status, stopped) };
  }

  @Post('resume/')
  @Route({
    bodyOptional: true,
    summary: 'Resume a paused agent',
    description: "Somebody's agent by `user_id` or `agent_id`; the caller's own without. 409 `agent_not_paused`.",
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    staffOnly: true,
    response: AgentStateResponse,
  })
  async resume(@CurrentUser() user: Principal, @Body() body: ResumeAgentRequest): Promise<AgentStateResponse> {
    const { user_id: userId, agent_id: agentId } = body;
    const key = agentId ? { agentId } : { userId: userId ?? user.userId };
    const owner = await this.life.findOwner(key);
    if (owner === null) throw new NotFoundError('no dedicated agent for this user', { code: 'agent_not_found' });
    await this.agents.get(owner);
    const { status } = await this.life.resume(owner, user);
    return { success: true, status, note: 'The agent takes work again. Nothing that was stopped goes on by itself.' };
  }
}

function noteOf(status: string, stopped: number): string {
  if (status !== 'paused') return `The agent is ${status}.`;
  const runs = stopped === 1 ? '1 run was' : `${stopped} runs were`;
  return `The agent is paused; ${runs} asked to stop. Staff can resume it.`;
}
