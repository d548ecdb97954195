import { CurrentUser, type Principal } from '@app/auth';
import { importN8n, parseDefinition, ToolCatalogue, toWireProblem, warnAboutKinds } from '@app/workflow-definition';
import { WorkflowEditor } from '@app/workflows';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ToolListing } from '../tool-listing.js';
import { ImportedWorkflowResponse, ImportWorkflowRequest, toImportedWorkflowResponse } from './imports.dto.js';

@ApiTags('Workflows')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class WorkflowImportsController {
  constructor(
    private readonly editor: WorkflowEditor,
    private readonly catalogue: ToolCatalogue,
    private readonly tools: ToolListing,
  ) {}

  @Post('import/')
  @Route({
    summary: 'Import a workflow of another product',
    description: 'Nothing is lost: what has no counterpart here becomes a node that fails and keeps the original.',
    errors: 'fields',
    scope: 'workflows:write',
    response: ImportedWorkflowResponse,
    startsSomething: true,
  })
  async import(
    @CurrentUser() viewer: Principal,
    @Body() { json, save }: ImportWorkflowRequest,
  ): Promise<ImportedWorkflowResponse> {
    const imported = importN8n(json, 'json', this.catalogue);
    const { jsonSpec, vueflowJson } = imported;
    const { warnings } = parseDefinition(jsonSpec, this.catalogue);
    warnings.push(...warnAboutKinds(jsonSpec, this.tools.listing.tools));
    const id = save ? await this.editor.create(viewer.userId, jsonSpec, { vueflowJson }) : null;
    return toImportedWorkflowResponse(imported, warnings.map(toWireProblem), id);
  }
}
