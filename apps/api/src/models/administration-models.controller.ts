import { CurrentUser, type Principal } from '@app/auth';
import { ModelTests, RegisteredModels } from '@app/models';
import { Body, Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { IntegerParam } from '../http/params.js';
import { Route } from '../http/route.js';
import { untilGone } from '../http/until-gone.js';
import { SettingsModels } from './settings-models.js';
import {
  CreateModelRequest,
  ModelTestResponse,
  toDraft,
  toTestResponse,
  UpdateModelRequest,
} from './registered-model.dto.js';
import { RegisteredModelResponse, toRegisteredResponse } from './shown-model.dto.js';
import { PartOf } from '../http/part-of.js';

const SCOPE = 'platform';

/** The models that everybody may use, for staff (docs/contract/administration.md#models). */
@ApiTags('Models')
@PartOf('core')
@Controller('administration/models')
export class AdministrationModelsController {
  constructor(
    private readonly registered: RegisteredModels,
    private readonly tests: ModelTests,
    private readonly settings: SettingsModels,
  ) {}

  @Get('/')
  @Route({
    summary: 'List the models of the deployment',
    description:
      'Those of the settings first, which are read-only (`source: settings`), then those that staff registered.',
    response: [RegisteredModelResponse],
    staffOnly: true,
  })
  async list(@CurrentUser() viewer: Principal): Promise<RegisteredModelResponse[]> {
    return [...this.settings.list(), ...(await this.registered.list(SCOPE, viewer)).map(toRegisteredResponse)];
  }

  @Post('/')
  @Route({
    summary: 'Register a model for everybody',
    description: 'Usable in every process within a second. 2,000 at most (`model_limit_reached`).',
    errors: { 400: 'fields', 409: 'detail' },
    response: RegisteredModelResponse,
    status: 201,
    staffOnly: true,
    startsSomething: true,
  })
  async create(@CurrentUser() viewer: Principal, @Body() body: CreateModelRequest): Promise<RegisteredModelResponse> {
    return toRegisteredResponse(await this.registered.create(SCOPE, viewer, toDraft(body)));
  }

  @Get(':id/')
  @Route({
    summary: 'Show a model of the deployment',
    description: 'How it is asked, without key and headers, and how its last test came out; one of the settings, too.',
    response: RegisteredModelResponse,
    staffOnly: true,
  })
  async get(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<RegisteredModelResponse> {
    return this.settings.find(id) ?? toRegisteredResponse(await this.registered.get(SCOPE, viewer, id));
  }

  @Patch(':id/')
  @Route({
    summary: 'Change a registered model',
    description: 'What is absent stays. 409 `model_of_settings` for one that stands in the settings.',
    errors: { 400: 'fields', 409: 'detail' },
    response: RegisteredModelResponse,
    staffOnly: true,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: UpdateModelRequest,
  ): Promise<RegisteredModelResponse> {
    this.settings.requireOther(id);
    return toRegisteredResponse(await this.registered.update(SCOPE, viewer, id, toDraft(body)));
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete a registered model',
    description: 'Whoever has it chosen is answered by the default model. Turns that are at work end as they would.',
    errors: { 409: 'detail' },
    response: null,
    staffOnly: true,
  })
  async delete(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<void> {
    this.settings.requireOther(id);
    await this.registered.delete(SCOPE, viewer, id);
  }

  @Post(':id/test/')
  @Route({
    summary: 'Test a model of the deployment',
    description: 'Asks it for a word. Always 200 for what is wrong with it, within 20 seconds.',
    errors: { 409: 'detail' },
    response: ModelTestResponse,
    staffOnly: true,
    rate: { bucket: 'model-test', perMinute: 30 },
  })
  async test(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ModelTestResponse> {
    const signal = untilGone(response);
    const known = await this.settings.test(id, signal);
    return toTestResponse(known ?? (await this.tests.test(SCOPE, viewer, id, signal)).test);
  }
}
