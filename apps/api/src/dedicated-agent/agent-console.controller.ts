import { ChatMessages } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { AgentActivity, AgentConsole, BudgetCaps, DedicatedAgents } from '@app/dedicated-agent';
import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { questionOf } from '../chats/question.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { AttachedFiles } from '../secure-gpt/attached-files.js';
import {
  ActivityQuery,
  ActivityResponse,
  ConsoleAnswerResponse,
  ConsoleCallRequest,
  ConsoleMessagesQuery,
  ConsoleMessagesResponse,
  ConsoleStartedResponse,
  ConsoleStreamRequest,
  ConsoleWaitQuery,
  fileUidsOf,
  toActivityEntry,
  toConsoleMessages,
} from './agent-console.dto.js';
import { ConsoleAnswers } from './console-answers.js';

const RATE = { bucket: 'agent-chat', perMinute: 120 };

/** The console of a dedicated agent (docs/contract/dedicated-agent.md#console). */
@ApiTags('Dedicated agent')
@PartOf('dedicated_agent')
@Controller('microservices/dedicated-agent')
export class AgentConsoleController {
  constructor(
    private readonly agents: DedicatedAgents,
    private readonly console: AgentConsole,
    private readonly answers: ConsoleAnswers,
    private readonly messages: ChatMessages,
    private readonly done: AgentActivity,
    private readonly files: AttachedFiles,
    private readonly caps: BudgetCaps,
  ) {}

  @Post('chat/stream')
  @Route({
    summary: 'Say something to the agent',
    description:
      'Progress and answer come on `/ws/dedicated-agent/{agent_id}/`. 400 `message_required`, 403 `chat_session_forbidden`, 409 `agent_not_running`, `budget_exceeded` with `scope` and `resets_at`, or `agent_busy` with `busy_chat_session_id`: one message at a time.',
    errors: { 400: 'fields', 403: 'detail', 404: 'detail', 409: 'detail' },
    scope: 'chats:write',
    status: 202,
    rate: RATE,
    response: ConsoleStartedResponse,
    startsSomething: true,
  })
  async stream(
    @CurrentUser() { userId }: Principal,
    @Body() body: ConsoleStreamRequest,
  ): Promise<ConsoleStartedResponse> {
    await this.agents.get(userId);
    const message = questionOf(body.message);
    const attachedFiles = await this.filesOf(userId, body);
    const sessionId = body.chat_session_id ?? null;
    const target = sessionId === null ? 'new' : { sessionId };
    const { run, session } = await this.console.begin(userId, { message, target, attachedFiles });
    return {
      status: 'started',
      chat_session_id: session.id,
      session_id: session.conversationId,
      run_id: run.id,
      agent_id: run.agentId,
    };
  }

  @Post('chat/')
  @Route({
    summary: 'Say something to the agent, and wait for the answer',
    description:
      'In a conversation of all such calls. Whoever leaves ends nothing. 409 as `chat/stream`, and `run_cancelled`; 502 what the run failed with; 504 `run_continues` with `run_id` when the time is over.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    rate: RATE,
    response: ConsoleAnswerResponse,
  })
  async ask(
    @CurrentUser() { userId }: Principal,
    @Query() { timeout }: ConsoleWaitQuery,
    @Body() body: ConsoleCallRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConsoleAnswerResponse> {
    await this.agents.get(userId);
    const message = questionOf(body.message);
    const attachedFiles = await this.filesOf(userId, body);
    const turn = await this.console.begin(userId, { message, target: 'calls', attachedFiles });
    return this.answers.wait(turn, timeout, response);
  }

  @Get('messages/')
  @Route({
    summary: 'List what was said to the agent and by it',
    description: 'The last messages of all conversations of the console, oldest first.',
    errors: { 400: 'fields', 404: 'detail' },
    scope: 'chats:write',
    response: ConsoleMessagesResponse,
  })
  async list(
    @CurrentUser() { userId }: Principal,
    @Query() { limit }: ConsoleMessagesQuery,
  ): Promise<ConsoleMessagesResponse> {
    const { id } = await this.agents.get(userId);
    const messages = await this.messages.listOfKind(userId, 'dedicated-agent', limit);
    return { agent_id: id, messages: toConsoleMessages(messages) };
  }

  @Get('activity/')
  @Route({
    summary: 'List what the agent has done',
    description:
      'Runs that began and ended, what they called and asked, newest first; and what its models cost this month.',
    errors: { 400: 'fields', 404: 'detail' },
    scope: 'chats:write',
    response: ActivityResponse,
  })
  async activity(@CurrentUser() { userId }: Principal, @Query() { limit }: ActivityQuery): Promise<ActivityResponse> {
    const agent = await this.agents.get(userId);
    const [entries, spend, softBudget] = await Promise.all([
      this.done.list(agent, limit),
      this.done.spentThisMonth(agent),
      this.caps.softCostOfMonth(userId),
    ]);
    return {
      agent_id: agent.id,
      status: agent.status,
      activity: entries.map(toActivityEntry),
      spend: spend === null ? null : { spend, soft_budget: softBudget },
    };
  }

  private async filesOf(userId: number, { attached_files: files }: ConsoleCallRequest): Promise<string[]> {
    const uids = fileUidsOf(files);
    await this.files.requireReadable(userId, uids);
    return uids;
  }
}
