import { CurrentUser, type Principal } from '@app/auth';
import { AuthoringTurns, StaleRevisionError } from '@app/workflows';
import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { lastEventOf, writeNumberedEvents } from '../http/numbered-events.js';
import { OpenCalls } from '../http/open-calls.js';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { toSaveConflict } from '../workflows/workflows.dto.js';
import { EventsQuery, toAuthoringRequest, WriteWorkflowRequest, WrittenWorkflowResponse } from './authoring.dto.js';
import { AuthoringService } from './authoring.service.js';
import { RepeatedTurns } from './repeated-turns.js';

const EVENTS = {
  contentType: 'text/event-stream',
  description: '`progress`, `skeleton`, `workflow`, `message`, `error`, and `done` once and last.',
};

/** Workflows from plain words. */
@ApiTags('Workflow authoring')
@PartOf('flowapps')
@Controller('microservices/prompt-2-workflow/agent')
export class AuthoringController {
  constructor(
    private readonly authoring: AuthoringService,
    private readonly turns: AuthoringTurns,
    private readonly repeated: RepeatedTurns,
    private readonly open: OpenCalls,
  ) {}

  @Post()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body within 24 hours: the same turn.',
  })
  @Route({
    summary: 'Have a workflow built, changed or explained',
    description:
      'With `stream` the answer is events; `GET …/{turn_id}/events/` replays them. The work goes on when the client leaves.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'workflows:write',
    response: WrittenWorkflowResponse,
    streamsOnRequest: true,
    answersHeaders: ['X-Turn-Id', 'Idempotency-Replayed'],
    rate: { bucket: 'prompt-2-workflow', perMinute: 20 },
  })
  async write(
    @CurrentUser() user: Principal,
    @Body() body: WriteWorkflowRequest,
    @Req() call: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const request = toAuthoringRequest(body);
    try {
      const { turnId, failure, isReplay } = await this.repeated.once(user.userId, call, () =>
        this.authoring.begin(user, request),
      );
      if (isReplay) response.setHeader('Idempotency-Replayed', 'true');
      if (body.stream) {
        await writeNumberedEvents(response, { 'X-Turn-Id': turnId }, this.open.of(response), (signal) =>
          this.turns.follow(turnId, 0, signal),
        );
        return;
      }
      response.setHeader('X-Turn-Id', turnId);
      const error = await failure;
      if (error) throw error;
      response.status(200).json(await this.turns.result(turnId));
    } catch (error) {
      throw error instanceof StaleRevisionError ? toSaveConflict(error) : error;
    }
  }

  @Get(':turnId/events/')
  @Route({
    summary: 'Follow or replay the events of a turn',
    description:
      'From the beginning, or after `Last-Event-ID`. A stream that ends without its last event is taken up again in the same way; whoever comes back after `done` gets 204.',
    errors: 'fields',
    scope: 'workflows:read',
    response: EVENTS,
    alsoAnswers: { 204: null },
    readsHeaders: ['Last-Event-ID'],
    answersHeaders: ['X-Turn-Id', 'X-Chat-Session-Id'],
  })
  async events(
    @CurrentUser() user: Principal,
    @UuidParam('turnId') turnId: string,
    @Query() { after }: EventsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.turns.require(user.userId, turnId);
    const seen = lastEventOf(request) ?? after ?? 0;
    await writeNumberedEvents(response, { 'X-Turn-Id': turnId }, this.open.of(response), (signal) =>
      this.turns.follow(turnId, seen, signal),
    );
  }
}
