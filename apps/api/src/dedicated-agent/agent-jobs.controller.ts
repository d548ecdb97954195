import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { AgentJobs } from '@app/dedicated-agent';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  CreateJobRequest,
  DeletedJobResponse,
  JobActionResponse,
  JobExecutionPage,
  JobExecutionsQuery,
  JobListResponse,
  JobResponse,
  JobsQuery,
  toExecutionResponse,
  toJobInput,
  toJobResponse,
  UpdateJobRequest,
} from './agent-jobs.dto.js';

/** What the dedicated agent does by the clock (docs/contract/dedicated-agent.md#jobs). */
@ApiTags('Dedicated agent')
@PartOf('dedicated_agent')
@Controller('microservices/dedicated-agent/jobs')
export class AgentJobsController {
  constructor(private readonly jobs: AgentJobs) {}

  @Get()
  @Route({
    summary: 'List jobs of the agent',
    description: 'Oldest first, with when each runs next and how its last run ended. 404 without an agent.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'chats:write',
    response: JobListResponse,
  })
  async list(@CurrentUser() { userId }: Principal, @Query() query: JobsQuery): Promise<JobListResponse> {
    return { jobs: (await this.jobs.list(userId, query.include_disabled)).map(toJobResponse) };
  }

  @Post()
  @Route({
    summary: 'Give the agent a job',
    description: 'Up to 50 an agent; 409 `job_limit_reached`. 404 without an agent.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'chats:write',
    response: JobResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() user: Principal, @Body() body: CreateJobRequest): Promise<JobResponse> {
    return toJobResponse(await this.jobs.create(user, toJobInput(body), body.paused));
  }

  @Get(':jobId/')
  @Route({
    summary: 'Get a job of the agent',
    description: 'With its latest execution. 404 for jobs of others.',
    scope: 'chats:write',
    response: JobResponse,
  })
  async get(@CurrentUser() { userId }: Principal, @Param('jobId') jobId: string): Promise<JobResponse> {
    return toJobResponse(await this.jobs.get(userId, jobId));
  }

  @Patch(':jobId/')
  @Route({
    summary: 'Change a job of the agent',
    description: 'What is left out stays; another schedule is counted from now.',
    errors: 'fields+error',
    scope: 'chats:write',
    response: JobResponse,
  })
  async update(
    @CurrentUser() user: Principal,
    @Param('jobId') jobId: string,
    @Body() body: UpdateJobRequest,
  ): Promise<JobResponse> {
    return toJobResponse(await this.jobs.update(user, jobId, { ...toJobInput(body), enabled: body.enabled }));
  }

  @Delete(':jobId/')
  @Route({
    summary: 'Delete a job of the agent',
    description: 'It does not run again; a run that it began goes on.',
    scope: 'chats:write',
    response: DeletedJobResponse,
  })
  async delete(@CurrentUser() user: Principal, @Param('jobId') jobId: string): Promise<DeletedJobResponse> {
    await this.jobs.delete(user, jobId);
    return { ok: true };
  }

  @Get(':jobId/executions/')
  @Route({
    summary: 'List what became of the times of a job',
    description: 'Newest first: runs, and times that were skipped or missed.',
    errors: 'fields+error',
    scope: 'chats:write',
    response: JobExecutionPage,
  })
  async executions(
    @CurrentUser() { userId }: Principal,
    @Param('jobId') jobId: string,
    @Query() query: JobExecutionsQuery,
    @Req() request: Request,
  ): Promise<JobExecutionPage> {
    const at = toPageRequest(query);
    const { count, items } = await this.jobs.listExecutions(userId, jobId, at);
    return toPageResponse({ count, items: items.map(toExecutionResponse) }, at, request);
  }

  @Post(':jobId/:action/')
  @Route({
    summary: 'Pause, resume or run a job of the agent',
    description:
      '`run` fires at the next tick, also for a paused job, which is then scheduled. 400 `unknown_action`, `job_completed`, `job_time_passed`, `job_not_computable`; 409 `agent_not_running`, `budget_exceeded`.',
    errors: { 400: 'error', 404: 'detail', 409: 'detail' },
    scope: 'chats:write',
    response: JobActionResponse,
  })
  async act(
    @CurrentUser() user: Principal,
    @Param('jobId') jobId: string,
    @Param('action') action: string,
  ): Promise<JobActionResponse> {
    if (action !== 'pause' && action !== 'resume' && action !== 'run')
      throw new InvalidRequestError('Actions are pause, resume and run.', { code: 'unknown_action' });
    const job = toJobResponse(await this.jobs[action](user, jobId));
    return { ...job, job };
  }
}
