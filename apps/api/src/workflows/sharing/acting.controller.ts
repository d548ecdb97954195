import { CurrentUser, type Principal } from '@app/auth';
import { NotFoundError } from '@app/common';
import { AppConsent, NodeRows, WorkflowAdoption } from '@app/workflows';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { NodeRowResponse, toNodeRowResponse } from '../node-row.dto.js';
import {
  AdoptedNodesResponse,
  AdoptNodesRequest,
  ConsentRequest,
  ConsentResponse,
  toConsentResponse,
} from './acting.dto.js';

/**
 * With whose rights nodes act, and what receivers of apps agree to
 * (docs/contract/workflows.md#whose-rights-a-run-has).
 */
@ApiTags('Workflow sharing')
@PartOf('flowapps')
@Controller('microservices/workflow/:id')
export class ActingController {
  constructor(
    private readonly adoption: WorkflowAdoption,
    private readonly consents: AppConsent,
    private readonly nodeRows: NodeRows,
  ) {}

  @Post('nodes/:nodeId/adopt/')
  @HttpCode(200)
  @Route({
    bodyOptional: true,
    summary: 'Let a node act with your rights',
    description:
      'For the owner. The node, with what its body holds, was last changed by somebody else and acts as that person; from now on it acts as you. A node of a body is named by the ids on the way to it, like `loop%2Fsearch`.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: NodeRowResponse,
    startsSomething: true,
  })
  async adopt(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Param('nodeId') nodeId: string,
    @Body() { content_revision: revision }: AdoptNodesRequest,
  ): Promise<NodeRowResponse> {
    await this.adoption.adopt(viewer, id, nodeId, revision ?? null);
    const rows = (await this.nodeRows.find(id))?.nodes ?? [];
    const row =
      rows.find((found) => found.nodeId === nodeId) ?? rows.find((found) => nodeId.startsWith(`${found.nodeId}/`));
    if (!row) throw new NotFoundError('The workflow has no such node.', { code: 'unknown_node' });
    return toNodeRowResponse(row);
  }

  @Post('adopt/')
  @HttpCode(200)
  @Route({
    bodyOptional: true,
    summary: 'Let every node act with your rights',
    description: 'For the owner, who has read them: nodes that others last changed act as you from now on.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: AdoptedNodesResponse,
    startsSomething: true,
  })
  async adoptAll(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { content_revision: revision }: AdoptNodesRequest,
  ): Promise<AdoptedNodesResponse> {
    const adopted = await this.adoption.adopt(viewer, id, null, revision ?? null);
    const nodes = (await this.nodeRows.find(id))?.nodes ?? [];
    return { workflow_id: id, adopted, nodes: nodes.map(toNodeRowResponse) };
  }

  @Get('consent/')
  @Route({
    summary: 'Get what an app reaches',
    description: 'For its receiver: the kinds of nodes that reach things of yours, and the hosts that it sends to.',
    errors: 'fields+error',
    scope: 'workflows:read',
    response: ConsentResponse,
  })
  async consent(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<ConsentResponse> {
    return toConsentResponse(await this.consents.get(viewer.userId, id));
  }

  @Post('consent/')
  @HttpCode(200)
  @Route({
    summary: 'Agree to what an app reaches',
    description:
      'Until then it answers 409 `consent_required` with `kinds`, `hosts` and `revision` to every start. A later revision that adds a kind or a host asks again; until you agree, the last one that you agreed to runs.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: ConsentResponse,
    startsSomething: true,
  })
  async agree(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { revision }: ConsentRequest,
  ): Promise<ConsentResponse> {
    return toConsentResponse(await this.consents.give(viewer, id, revision));
  }
}
