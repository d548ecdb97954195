import { Public } from '@app/auth';
import { HealthRegistry } from '@app/observability';
import { schemaVersions } from '@app/entities';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { LivenessResponse, ReadinessResponse, ReleaseResponse } from './health.dto.js';

export const RELEASE = Symbol('RELEASE');
export interface Release {
  version: string;
  commit: string;
}

@ApiTags('Platform')
@PartOf('core')
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthRegistry,
    private readonly dataSource: DataSource,
    @Inject(RELEASE) private readonly release: Release,
  ) {}

  @Get('healthz/')
  @Public()
  @Route({
    summary: 'Whether the process lives',
    description: 'Asks nothing else: a process that answers is not to be started again.',
    response: LivenessResponse,
    rate: 'none',
  })
  live(): LivenessResponse {
    return { status: 'ok' };
  }

  @Get('version/')
  @Route({
    summary: 'Which release this is',
    description: 'With the schema of the database and the one that this release needs.',
    response: ReleaseResponse,
    staffOnly: true,
  })
  async version(): Promise<ReleaseResponse> {
    const { present, needed } = await schemaVersions(this.dataSource);
    return { ...this.release, schema_version: present, min_compatible_schema: needed };
  }

  @Get('readyz/')
  @Public()
  @Route({
    summary: 'Whether all that the api needs answers',
    description:
      'Asks the database and what else it needs; 503 while something is away, and from the moment that the process is told to stop.',
    response: ReadinessResponse,
    alsoAnswers: { 503: ReadinessResponse },
    rate: 'none',
  })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadinessResponse> {
    const { status, checks } = await this.health.report();
    response.status(status === 'ok' ? 200 : 503);
    return { status, checks: checks as unknown as ReadinessResponse['checks'] };
  }
}
