import { CurrentUser, type Principal } from '@app/auth';
import { ScheduleRuns, Schedules } from '@app/workflows';
import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  BackfillRequest,
  BackfillResponse,
  PreviewQuery,
  PreviewResponse,
  ScheduleRequest,
  ScheduleResponse,
  toScheduleInput,
  toScheduleResponse,
} from './schedules.dto.js';

/** docs/contract/schedules.md#the-schedule. */
@ApiTags('Workflow schedules')
@PartOf('flowapps')
@Controller('microservices/workflow/:id/schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: Schedules,
    private readonly runs: ScheduleRuns,
  ) {}

  @Get()
  @Route({
    summary: 'List the schedules of a workflow',
    description: 'With when each fires next, and how its last run ended.',
    scope: 'workflows:read',
    response: [ScheduleResponse],
  })
  async list(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<ScheduleResponse[]> {
    return (await this.schedules.list(viewer.userId, id)).map(toScheduleResponse);
  }

  @Post()
  @Route({
    summary: 'Create a schedule',
    description: 'Up to 20 per workflow. Its runs use the published version when there is one.',
    errors: 'fields',
    scope: 'workflows:write',
    response: ScheduleResponse,
    status: 201,
    startsSomething: true,
  })
  async create(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() body: ScheduleRequest,
  ): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.schedules.create(viewer.userId, id, toScheduleInput(body)));
  }

  @Get('preview/')
  @Route({
    summary: 'Show when a schedule would run',
    description: 'Give `cron` or `interval_minutes`.',
    errors: 'fields',
    scope: 'workflows:read',
    response: PreviewResponse,
  })
  async preview(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() { cron, interval_minutes: intervalMinutes, timezone, count }: PreviewQuery,
  ): Promise<PreviewResponse> {
    return { next: await this.schedules.preview(viewer.userId, id, { cron, intervalMinutes, timezone }, count) };
  }

  @Get(':sid/')
  @Route({
    summary: 'Get a schedule',
    description: 'When it fires, in which time zone, and what its last runs were.',
    scope: 'workflows:read',
    response: ScheduleResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('sid') sid: string,
  ): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.schedules.get(viewer.userId, id, sid));
  }

  @Put(':sid/')
  @Route({
    summary: 'Change a schedule',
    description: 'What is left out stays.',
    errors: 'fields',
    scope: 'workflows:write',
    response: ScheduleResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('sid') sid: string,
    @Body() body: ScheduleRequest,
  ): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.schedules.update(viewer.userId, id, sid, toScheduleInput(body)));
  }

  @Delete(':sid/')
  @Route({
    summary: 'Delete a schedule',
    description: 'It does not fire again; runs that it started go on.',
    scope: 'workflows:write',
    response: null,
  })
  delete(@CurrentUser() viewer: Principal, @UuidParam('id') id: string, @UuidParam('sid') sid: string): Promise<void> {
    return this.schedules.delete(viewer.userId, id, sid);
  }

  @Post(':sid/pause/')
  @Route({
    summary: 'Pause a schedule',
    description: 'It does not fire until it is resumed. 409 once it is completed.',
    errors: { 409: 'detail' },
    scope: 'workflows:write',
    response: ScheduleResponse,
    open: true,
  })
  async pause(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('sid') sid: string,
  ): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.schedules.pause(viewer.userId, id, sid));
  }

  @Post(':sid/resume/')
  @Route({
    summary: 'Resume a schedule',
    description: 'From now on; what was due in between is not caught up on. 409 once it is completed.',
    errors: { 400: 'fields', 409: 'detail' },
    scope: 'workflows:write',
    response: ScheduleResponse,
  })
  async resume(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('sid') sid: string,
  ): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.schedules.resume(viewer.userId, id, sid));
  }

  @Post(':sid/run/')
  @Route({
    summary: 'Run a schedule now',
    description: 'Under its overlap policy, which may also skip or queue the run; its times stay.',
    scope: 'workflows:run',
    response: ScheduleResponse,
    startsSomething: true,
  })
  async run(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('sid') sid: string,
  ): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.runs.runNow(viewer.userId, id, sid));
  }

  @Post(':sid/backfill/')
  @Route({
    summary: 'Run the slots of a past period that have not run',
    description: 'Up to 500 a call, oldest first; a slot runs once, however often it is asked for.',
    errors: 'fields',
    scope: 'workflows:run',
    response: BackfillResponse,
    status: 202,
    startsSomething: true,
  })
  async backfill(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('sid') sid: string,
    @Body() { from, to, overlap_policy: overlapPolicy }: BackfillRequest,
  ): Promise<BackfillResponse> {
    const { nextFrom, ...told } = await this.runs.backfill(viewer.userId, id, sid, { from, to, overlapPolicy });
    return { ...told, next_from: nextFrom };
  }
}
