import { CurrentUser, type Principal } from '@app/auth';
import { ModelProbes } from '@app/models';
import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { writtenOnce } from '../http/written-once.js';
import { ModelCatalog } from './model-catalog.js';
import {
  FirstTimeResponse,
  LanguageModelResponse,
  MeResponse,
  toLanguageModelResponse,
  toModelHealthResponse,
  toUserResponse,
} from './profile.dto.js';
import { type ProfileRow, Profiles } from './profiles.js';

@ApiTags('Profile')
@PartOf('core')
@Controller('users')
export class ProfileController {
  /** Of profiles in the cache. */
  private readonly answers = new WeakMap<ProfileRow, MeResponse>();

  constructor(
    private readonly profiles: Profiles,
    private readonly models: ModelCatalog,
    private readonly probes: ModelProbes,
  ) {}

  @Get('me/')
  @Route({
    summary: 'Who I am',
    description: 'The account, its rights and its plan. A web app asks it first.',
    scope: 'profile:read',
    response: MeResponse,
  })
  async me(@CurrentUser() viewer: Principal): Promise<MeResponse> {
    const row = await this.profiles.get(viewer.userId);
    let answer = this.answers.get(row);
    if (!answer) {
      const info = toUserResponse(row, await this.models.find(viewer.userId, row.llm_model_id));
      answer = writtenOnce<MeResponse>({ info });
      this.answers.set(row, answer);
    }
    return answer;
  }

  @Post('me/')
  @Route({
    summary: 'Acknowledge the first visit',
    description: 'The hints for newcomers are not shown again.',
    response: FirstTimeResponse,
    open: true,
  })
  async acknowledge(@CurrentUser() viewer: Principal): Promise<FirstTimeResponse> {
    return { is_first_time: await this.profiles.acknowledgeFirstTime(viewer.userId) };
  }

  @Get('models/')
  @Route({
    summary: 'List the language models',
    description:
      'Those that chats and agents may use here, and which one is the standard: those of this deployment, then your own ' +
      'and those of your organisation.',
    scope: 'profile:read',
    response: [LanguageModelResponse],
  })
  async listModels(@CurrentUser() { userId, isStaff }: Principal): Promise<LanguageModelResponse[]> {
    const listed = await this.models.list(userId);
    return listed.map((model) => ({
      ...toLanguageModelResponse(model),
      ...(isStaff && { health: toModelHealthResponse(this.probes.find(model.id)) }),
    }));
  }
}
