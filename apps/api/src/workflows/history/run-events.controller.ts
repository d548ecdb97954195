import { CurrentUser, type Principal } from '@app/auth';
import { NotFoundError } from '@app/common';
import { RunHistory, WorkflowAccess } from '@app/workflows';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IntegerParam, UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { doneId } from './run-event-stream.js';
import { RunEvents } from './run-events.js';

@ApiTags('Workflow history')
@PartOf('flowapps')
@Controller('microservices/workflow/:id/history')
export class RunEventsController {
  constructor(
    private readonly events: RunEvents,
    private readonly history: RunHistory,
    private readonly access: WorkflowAccess,
  ) {}

  @Get(':version/events/')
  @Route({
    summary: 'Follow a run',
    description:
      'Server-Sent Events `snapshot`, `node`, `agent_response`, `run` and `done`; with `Last-Event-ID` only what came after it. A run that has ended is told and the stream closes; whoever comes back after `done` gets 204.',
    scope: 'workflows:read',
    response: { contentType: 'text/event-stream', description: 'The events.' },
    alsoAnswers: { 204: null },
    readsHeaders: ['Last-Event-ID'],
  })
  async follow(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') workflowId: string,
    @IntegerParam('version') version: number,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.access.require(viewer.userId, workflowId, 'viewer');
    if (!(await this.history.findRecord(workflowId, version)))
      throw new NotFoundError('Run not found.', { code: 'run_not_found' });
    const lastEventId = request.get('last-event-id');
    if (lastEventId === doneId(version)) {
      // Tells a browser to stop coming back.
      response.status(204).end();
      return;
    }
    await this.events.follow(response, { workflowId, version, principal: viewer, lastEventId });
  }
}
