import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { type AgentRunEvent, AgentRunFeed, AgentRuns } from '@app/dedicated-agent';
import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { TurnEventsQuery } from '../agent/agent-chat.dto.js';
import type { ApiRequest } from '../http/api-request.js';
import { idempotencyKeyOf } from '../http/idempotency.interceptor.js';
import { lastEventOf, type NumberedEvent, writeNumberedEvents } from '../http/numbered-events.js';
import { OpenCalls } from '../http/open-calls.js';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { AttachedFiles } from '../secure-gpt/attached-files.js';
import {
  choiceOf,
  CreateAgentRunRequest,
  AgentRunActionRequest,
  AgentRunActionResponse,
  AgentRunPage,
  AgentRunResponse,
  AgentRunsQuery,
  textOf,
  toAgentRunResponse,
} from './agent-runs.dto.js';

const EVENTS = {
  contentType: 'text/event-stream',
  description:
    '`message.delta {delta}`, `tool.started {tool, preview}`, `tool.completed {tool, duration, error}`, `approval.request`, `approval.responded`, and once and last `run.completed {output, usage}`, `run.failed {error}` or `run.cancelled`. A comment every 15 seconds.',
};

/** Pieces of work of the dedicated agent (docs/contract/dedicated-agent.md#runs). */
@ApiTags('Dedicated agent')
@PartOf('dedicated_agent')
@Controller('microservices/dedicated-agent/runs')
export class AgentRunsController {
  constructor(
    private readonly runs: AgentRuns,
    private readonly feed: AgentRunFeed,
    private readonly open: OpenCalls,
    private readonly files: AttachedFiles,
  ) {}

  @Post()
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key and body: the same run.' })
  @Route({
    summary: 'Give the agent a task',
    description:
      'It begins at once, and goes on whoever listens. 400 `input_required`, 409 `agent_not_running`, `budget_exceeded` with `scope` and `resets_at`, 429 `too_many_runs`, 503 `model_not_configured` before anything is stored.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    scope: 'chats:write',
    rate: { bucket: 'agent-chat', perMinute: 120 },
    response: AgentRunResponse,
    answersHeaders: ['Idempotency-Replayed'],
  })
  async create(
    @CurrentUser() { userId }: Principal,
    @Body() body: CreateAgentRunRequest,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentRunResponse> {
    const input = textOf(body.input, 'input', 'input_required');
    const key = idempotencyKeyOf(request);
    const attachedFiles = body.file_uids ?? [];
    await this.files.requireReadable(userId, attachedFiles);
    const run = await this.runs.create(userId, {
      origin: 'api',
      input,
      instructions: body.instructions ?? '',
      model: body.model ?? '',
      attachedFiles,
      onExpiry: body.on_expiry ?? 'deny',
      ...(key !== undefined && { idempotencyKey: key }),
    });
    if (!this.runs.isNew(run)) response.setHeader('Idempotency-Replayed', 'true');
    return toAgentRunResponse(run);
  }

  @Get()
  @Route({
    summary: 'List runs of the agent',
    description: 'Newest first: those of calls, of the console and of jobs.',
    errors: { 400: 'fields', 404: 'detail' },
    scope: 'chats:write',
    response: AgentRunPage,
  })
  async list(
    @CurrentUser() { userId }: Principal,
    @Query() query: AgentRunsQuery,
    @Req() request: Request,
  ): Promise<AgentRunPage> {
    const at = toPageRequest(query);
    const { count, items } = await this.runs.list(userId, query, at);
    return toPageResponse({ count, items: items.map(toAgentRunResponse) }, at, request);
  }

  @Get(':runId/')
  @Route({
    summary: 'Get a run of the agent',
    description:
      'How far it is, its output once it has ended, and what it waits to be allowed. 404 for runs of others.',
    scope: 'chats:write',
    response: AgentRunResponse,
  })
  async get(@CurrentUser() { userId }: Principal, @Param('runId') runId: string): Promise<AgentRunResponse> {
    return toAgentRunResponse(await this.runs.get(userId, runId));
  }

  @Get(':runId/events/')
  @Route({
    summary: 'Follow or replay a run of the agent',
    description:
      'From the beginning, or after `Last-Event-ID` or `after`; closes after the end of the run, and whoever comes back after it gets 204.',
    errors: 'fields',
    scope: 'chats:write',
    response: EVENTS,
    alsoAnswers: { 204: null },
    readsHeaders: ['Last-Event-ID'],
  })
  async events(
    @CurrentUser() { userId }: Principal,
    @Param('runId') runId: string,
    @Query() query: TurnEventsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { id } = await this.runs.get(userId, runId);
    const after = lastEventOf(request) ?? query.after ?? 0;
    await writeNumberedEvents(response, {}, this.open.of(response), (signal) =>
      numbered(this.feed.follow(id, { after, signal })),
    );
  }

  @Post(':runId/:action/')
  @Route({
    bodyOptional: true,
    summary: 'Answer, stop or steer a run of the agent',
    description:
      '`approval {choice, request_id?, all?}` answers what the run waits to be allowed: 409 `approval_not_pending`. `stop` asks it to end: 409 `run_not_active`. `steer {message}` tells it something while it works. 400 `unknown_action`.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail' },
    scope: 'chats:write',
    response: AgentRunActionResponse,
    open: true,
  })
  async act(
    @CurrentUser() { userId }: Principal,
    @Param('runId') runId: string,
    @Param('action') action: string,
    @Body() body: AgentRunActionRequest,
  ): Promise<AgentRunActionResponse> {
    if (action === 'stop') {
      const { id } = await this.runs.get(userId, runId);
      await this.runs.stop(userId, id);
      return { run_id: id, status: 'stopping' };
    }
    if (action === 'approval') {
      const { id } = await this.runs.get(userId, runId);
      const choice = choiceOf(body.choice);
      const answer = { choice, requestId: body.request_id ?? null, all: body.all ?? false };
      return { run_id: id, choice, resolved: await this.runs.answer(userId, id, answer) };
    }
    if (action === 'steer') {
      const { id } = await this.runs.get(userId, runId);
      await this.runs.steer(userId, id, textOf(body.message, 'message', 'message_required'));
      return { run_id: id, accepted: true };
    }
    throw new InvalidRequestError('Actions are approval, stop and steer.', { code: 'unknown_action' });
  }
}

async function* numbered(events: AsyncIterable<AgentRunEvent | null>): AsyncGenerator<NumberedEvent | null, void> {
  for await (const one of events) {
    if (one === null) yield null;
    else {
      const { runId, seq, event, data, at } = one;
      // `event` is the name of the frame: what a stage tells has a place of its own.
      const told = event === 'stage' ? { stage: data.event ?? null } : {};
      yield { seq, event, data: { ...data, ...told, event, run_id: runId, timestamp: at.toISOString() } };
    }
  }
}
