import { CurrentUser, type Principal } from '@app/auth';
import {
  HookUrls,
  StaleRevisionError,
  WorkflowEditor,
  type WorkflowFilter,
  WorkflowReader,
  WorkflowTags,
} from '@app/workflows';
import { Body, Controller, Get, Param, Post, Put, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { isUuid, NotFoundError } from '@app/common';
import { parseSent, ToolCatalogue, toWireProblem, warnAboutKinds } from '@app/workflow-definition';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { HookAddress } from './hook-address.js';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { WorkflowSecretsService } from './secrets/workflow-secrets.service.js';
import { ToolListing } from './tool-listing.js';
import {
  toWorkflowDetailResponse,
  toWorkflowResponse,
  WorkflowDetailResponse,
  WorkflowNamePageResponse,
  WorkflowPageResponse,
} from './workflow-record.dto.js';
import {
  CreatedWorkflowResponse,
  CreateWorkflowRequest,
  DefinitionReportResponse,
  SavedWorkflowResponse,
  SaveWorkflowRequest,
  toSaveConflict,
  toSaveInput,
  toSettings,
  ValidateDefinitionRequest,
  WorkflowDetailQuery,
  type WorkflowListQuery,
  WorkflowSearchQuery,
  WorkflowsQuery,
} from './workflows.dto.js';

@ApiTags('Workflows')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class WorkflowsController {
  constructor(
    private readonly reader: WorkflowReader,
    private readonly editor: WorkflowEditor,
    private readonly tags: WorkflowTags,
    private readonly catalogue: ToolCatalogue,
    private readonly tools: ToolListing,
    private readonly secrets: WorkflowSecretsService,
    private readonly urls: HookUrls,
    private readonly address: HookAddress,
  ) {}

  @Post('start/')
  @Route({
    summary: 'Create a workflow',
    description: 'Does not run it. Without a name, one is made from its nodes. All problems are reported at once.',
    errors: 'fields',
    scope: 'workflows:write',
    response: CreatedWorkflowResponse,
    status: 201,
    startsSomething: true,
  })
  async create(
    @CurrentUser() viewer: Principal,
    @Body() body: CreateWorkflowRequest,
  ): Promise<CreatedWorkflowResponse> {
    const { id, warnings } = await this.editor.createWithWarnings(viewer.userId, body.json, toSettings(body));
    return { workflow_id: id, warnings: warnings.map(toWireProblem) };
  }

  @Post('validate/')
  @Route({
    forViewers: true,
    summary: 'Check a definition without saving it',
    description:
      'With `workflow_id`, secrets that the workflow lacks are errors; without it, or without the right to edit it, secrets are ' +
      'warned about.',
    errors: 'fields',
    scope: 'workflows:read',
    response: DefinitionReportResponse,
  })
  async validate(
    @CurrentUser() { userId }: Principal,
    @Body() { json, vueflow_json: layout, workflow_id }: ValidateDefinitionRequest,
  ): Promise<DefinitionReportResponse> {
    const knownSecrets = (workflow_id && (await this.secrets.findNames(userId, workflow_id))) || 'unseen';
    const { errors, warnings } = parseSent({ json, layout }, this.catalogue, knownSecrets);
    warnings.push(...warnAboutKinds(json, this.tools.listing.tools));
    return { valid: errors.length === 0, errors: errors.map(toWireProblem), warnings: warnings.map(toWireProblem) };
  }

  @Get()
  @Route({
    summary: 'List workflows',
    description: 'With `with_outputs`: their ids and names alone.',
    errors: 'fields',
    scope: 'workflows:read',
    response: { anyOf: [WorkflowPageResponse, WorkflowNamePageResponse] },
  })
  async list(
    @CurrentUser() viewer: Principal,
    @Query() query: WorkflowsQuery,
    @Req() request: Request,
  ): Promise<WorkflowPageResponse | WorkflowNamePageResponse> {
    const filter = { ...toFilter(query), withOutputs: query.with_outputs };
    const page = await this.page(viewer, query, filter, request);
    if (!query.with_outputs) return page;
    return { ...page, results: page.results.map(({ id, name }) => ({ id, name })) };
  }

  @Get('search/')
  @Route({
    summary: 'Search workflows',
    description: 'By name, subtitle and description, among own and shared workflows.',
    errors: 'fields',
    scope: 'workflows:read',
    response: WorkflowPageResponse,
  })
  async search(
    @CurrentUser() viewer: Principal,
    @Query() query: WorkflowSearchQuery,
    @Req() request: Request,
  ): Promise<WorkflowPageResponse> {
    const { search, status } = query;
    const filter = {
      ...toFilter(query),
      ordering: query.ordering || '-updated_at',
      search: search || undefined,
      status: status || undefined,
    };
    const page = await this.page(viewer, query, filter, request);
    if (!query.include_tags) return page;
    const ids = page.results.map(({ id }) => id);
    const tags = await this.tags.onWorkflows(viewer.userId, ids);
    return { ...page, results: page.results.map((workflow) => ({ ...workflow, tags: tags.get(workflow.id) ?? [] })) };
  }

  @Get(':id/')
  @Route({
    summary: 'Get a workflow',
    description:
      'Its definition, state and settings; the webhook credential is for those who may see it. 404 for workflows that are not shared with you.',
    scope: 'workflows:read',
    response: WorkflowDetailResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @Param('id') id: string,
    @Query() { webhook }: WorkflowDetailQuery,
    @Req() request: Request,
  ): Promise<WorkflowDetailResponse> {
    if (!isUuid(id)) throw new NotFoundError();
    const found = await this.reader.getDetail(viewer.userId, id, { byWebhook: webhook ?? false });
    // Whoever knows it starts runs, also after the token has ended: a token gets it where it may make a new one.
    const isKept = viewer.scopes !== null && !viewer.scopes.includes('workflows:write');
    const workflow = isKept ? { ...found, webhookSecret: '' } : found;
    // Who may not see the secret may not see the address either.
    const token = workflow.webhookSecret === '' ? null : await this.urls.findTokenOf(workflow.webhookId);
    return toWorkflowDetailResponse(workflow, this.address.ofNullable(request, token));
  }

  @Put(':id/')
  @Route({
    summary: 'Save a workflow',
    description:
      'Makes a new revision; a run in flight keeps its own. What is left out, except the name and the definition, stays.',
    errors: { 400: 'fields', 409: 'detail' },
    scope: 'workflows:write',
    response: SavedWorkflowResponse,
  })
  async save(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() body: SaveWorkflowRequest,
  ): Promise<SavedWorkflowResponse> {
    try {
      const { contentRevision, warning, warnings } = await this.editor.save(viewer, id, toSaveInput(body));
      return {
        message: 'Workflow saved.',
        content_revision: contentRevision,
        warning,
        warnings: warnings.map(toWireProblem),
      };
    } catch (error) {
      throw error instanceof StaleRevisionError ? toSaveConflict(error) : error;
    }
  }

  private async page(
    viewer: Principal,
    query: WorkflowListQuery,
    filter: WorkflowFilter,
    request: Request,
  ): Promise<WorkflowPageResponse> {
    if (query.tag_ids) await this.tags.requireOwn(viewer.userId, query.tag_ids);
    const at = toPageRequest(query);
    const page = await this.reader.list(viewer.userId, filter, at);
    return toPageResponse({ count: page.count, items: page.items.map(toWorkflowResponse) }, at, request);
  }
}

function toFilter(query: WorkflowListQuery): WorkflowFilter {
  return {
    availableAsApp: query.available_as_app,
    csvDashboard: query.csv_dashbord,
    chatbotApp: query.chatbot_app,
    ordering: query.ordering || undefined,
    tagIds: query.tag_ids,
  };
}
