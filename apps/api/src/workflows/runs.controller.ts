import { CurrentUser, type Principal } from '@app/auth';
import { NotFoundError } from '@app/common';
import { readPayload } from '@app/workflow-definition';
import { NodeRows, RunControl, WorkflowAccess } from '@app/workflows';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { NodeRowResponse, toNodeRowResponse } from './node-row.dto.js';
import {
  BranchRerunRequest,
  BranchRerunResponse,
  RerunRequest,
  RerunResponse,
  StopRequest,
  StopResponse,
} from './runs.dto.js';

@ApiTags('Workflow runs')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class RunsController {
  constructor(
    private readonly runs: RunControl,
    private readonly access: WorkflowAccess,
    private readonly nodeRows: NodeRows,
  ) {}

  @Post('rerun/')
  @Route({
    summary: 'Run a workflow',
    description: 'A run in flight is stopped and superseded.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'workflows:run',
    response: RerunResponse,
    startsSomething: true,
  })
  async rerun(@CurrentUser() viewer: Principal, @Body() body: RerunRequest): Promise<RerunResponse> {
    const payload = readPayload(body.webhook_payload, { keepFileReferences: true });
    const version = await this.runs.rerun(viewer.userId, body.workflow_id, payload);
    return { message: 'Workflow run started.', version };
  }

  @Post('branch-rerun/')
  @Route({
    summary: 'Run one node, or the branch from it',
    description: 'With the outputs of the run before. A run in flight is stopped and superseded.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'workflows:run',
    response: BranchRerunResponse,
    startsSomething: true,
  })
  async rerunBranch(@CurrentUser() viewer: Principal, @Body() body: BranchRerunRequest): Promise<BranchRerunResponse> {
    const { workflow_id, start_node_id, run_to_the_end, save_outputs } = body;
    const branch = await this.runs.rerunBranch(
      viewer.userId,
      workflow_id,
      readPayload(body.webhook_payload, { keepFileReferences: true }),
      {
        startNodeId: start_node_id,
        runToTheEnd: run_to_the_end,
        saveOutputs: save_outputs,
      },
    );
    const message = run_to_the_end ? 'Branch run started.' : 'Node run started.';
    return { workflow_id, start_node_id, run_to_the_end, nodes_in_branch: branch.length, save_outputs, message };
  }

  @Post('stop/')
  @Route({
    forViewers: true,
    summary: 'Stop the active run',
    description:
      'Nodes that have not begun are cancelled, calls that are under way are cut off. The next call that waits starts afterwards. 409 when nothing runs.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail' },
    scope: 'workflows:run',
    response: StopResponse,
    open: true,
  })
  async stop(@CurrentUser() viewer: Principal, @Body() { workflow_id }: StopRequest): Promise<StopResponse> {
    const stopped = await this.runs.stop(viewer.userId, workflow_id);
    return { workflow_id, status: 'STOPPED', nodes_stopped: stopped, message: 'Workflow stopped.' };
  }

  @Get(':id/nodes/')
  @Route({
    summary: 'List the node execution rows',
    description: 'What the nodes WebSocket pushes. COMPLETED, FAILED, SKIPPED and STOPPED are final.',
    scope: 'workflows:read',
    response: [NodeRowResponse],
  })
  async nodes(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<NodeRowResponse[]> {
    await this.access.require(viewer.userId, id, 'see');
    const progress = await this.nodeRows.find(id);
    if (!progress) throw new NotFoundError();
    return progress.nodes.map(toNodeRowResponse);
  }
}
