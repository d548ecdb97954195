import { CurrentUser, type Principal } from '@app/auth';
import { readPayload } from '@app/workflow-definition';
import { WorkflowAccess } from '@app/workflows';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApiRequest } from '../../http/api-request.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { RunStreamRequest } from './run-stream.dto.js';
import { RunAnswers } from './run-answers.js';

@ApiTags('Workflow runs')
@PartOf('flowapps')
@Controller('workflow/run')
export class RunStreamController {
  constructor(
    private readonly answers: RunAnswers,
    private readonly access: WorkflowAccess,
  ) {}

  @Post('stream/')
  @Route({
    summary: 'Run a workflow and read its answer as it comes',
    description:
      'The raw text of the output node: the one marked for export, or else the one that nothing follows. `X-Run-Version` names the run, which goes on when the client leaves. A text that breaks off without its last chunk is not complete: the run has failed or was stopped. 409 `run_active` while another run is active. The run is a turn of a conversation of kind `workflow`. The same call again with its `Idempotency-Key` is answered with the same run. With `?framing=sse`: the events `delta`, `done`, `error`.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail' },
    scope: 'workflows:run',
    response: { contentType: 'text/event-stream', description: 'The answer as raw text.' },
    framing: true,
    answersHeaders: ['X-Run-Version'],
  })
  async stream(
    @CurrentUser() viewer: Principal,
    @Body() body: RunStreamRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { workflow_id: workflowId, message, inputs, conversation_id: conversationId } = body;
    await this.access.requireRun(viewer.userId, workflowId);
    const payload = readPayload(
      {
        ...inputs,
        ...(message !== undefined && message !== null && { message }),
        ...(conversationId && { conversation_id: conversationId }),
      },
      { keepFileReferences: true },
    );
    const run = { workflowId, payload, message: message ?? '', conversationId: conversationId || null };
    await this.answers.stream(viewer.userId, run, request, response);
  }
}
