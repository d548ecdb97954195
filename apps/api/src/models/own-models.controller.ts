import { CurrentUser, type Principal } from '@app/auth';
import { ModelTests, RegisteredModels } from '@app/models';
import { Body, Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { IntegerParam } from '../http/params.js';
import { Route } from '../http/route.js';
import { untilGone } from '../http/until-gone.js';
import {
  CreateModelRequest,
  DiscoverModelsRequest,
  DiscoverModelsResponse,
  ModelTestResponse,
  toDiscovery,
  toDraft,
  toTestResponse,
  UpdateModelRequest,
} from './registered-model.dto.js';
import { RegisteredModelResponse, toRegisteredResponse } from './shown-model.dto.js';
import { PartOf } from '../http/part-of.js';

const SCOPE = 'user';
const rate = { bucket: 'model-test', perMinute: 30 };

/** Models that a person registers for themselves (docs/contract/accounts.md#models-of-ones-own). */
@ApiTags('Models')
@PartOf('byo_llm')
@Controller('users/models/own')
export class OwnModelsController {
  constructor(
    private readonly registered: RegisteredModels,
    private readonly tests: ModelTests,
  ) {}

  @Get('/')
  @Route({
    summary: 'List my own models',
    description: 'Key and headers are never given back.',
    response: [RegisteredModelResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<RegisteredModelResponse[]> {
    return (await this.registered.list(SCOPE, viewer)).map(toRegisteredResponse);
  }

  @Post('/')
  @Route({
    summary: 'Register a model of my own',
    description: 'For oneself alone, in chats, nodes and the profile. 20 at most (`model_limit_reached`).',
    errors: 'fields',
    response: RegisteredModelResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() viewer: Principal, @Body() body: CreateModelRequest): Promise<RegisteredModelResponse> {
    return toRegisteredResponse(await this.registered.create(SCOPE, viewer, toDraft(body)));
  }

  @Post('discover/')
  @Route({
    summary: 'Ask an endpoint which models it has, for a person',
    description:
      'Nothing is stored. Always 200 for what is wrong with the endpoint, within 20 seconds. With the `id` of a registered ' +
      'model what is absent is taken from it; its key goes to its own address alone.',
    errors: { 400: 'fields', 404: 'detail' },
    response: DiscoverModelsResponse,
    rate,
  })
  async discover(
    @CurrentUser() viewer: Principal,
    @Body() body: DiscoverModelsRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DiscoverModelsResponse> {
    const found = await this.tests.discover(SCOPE, viewer, toDiscovery(body), untilGone(response));
    return { ...toTestResponse(found), models: found.models };
  }

  @Get(':id/')
  @Route({
    summary: 'Show a model of my own',
    description: 'How it is asked, without key and headers, and how its last test came out. 404 for models of others.',
    response: RegisteredModelResponse,
  })
  async get(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<RegisteredModelResponse> {
    return toRegisteredResponse(await this.registered.get(SCOPE, viewer, id));
  }

  @Patch(':id/')
  @Route({
    summary: 'Change a model of my own',
    description: 'What is absent stays. Another address or protocol erases key and headers unless new ones come along.',
    errors: 'fields',
    response: RegisteredModelResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: UpdateModelRequest,
  ): Promise<RegisteredModelResponse> {
    return toRegisteredResponse(await this.registered.update(SCOPE, viewer, id, toDraft(body)));
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete a model of my own',
    description: 'Whoever has it chosen is answered by the default model.',
    response: null,
  })
  async delete(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<void> {
    await this.registered.delete(SCOPE, viewer, id);
  }

  @Post(':id/test/')
  @Route({
    summary: 'Test a model of my own',
    description: 'Asks it for a word. Always 200 for what is wrong with it, within 20 seconds. The outcome is kept.',
    response: ModelTestResponse,
    rate,
  })
  async test(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ModelTestResponse> {
    return toTestResponse((await this.tests.test(SCOPE, viewer, id, untilGone(response))).test);
  }
}
