import { Public } from '@app/auth';
import { HealthRegistry } from '@app/observability';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Route } from '../http/route.js';
import { LivenessResponse, ReadinessResponse } from './health.dto.js';

@ApiTags('Platform')
@Controller()
export class HealthController {
  constructor(private readonly health: HealthRegistry) {}

  @Get('healthz/')
  @Public()
  @Route({ summary: 'Whether the process lives', response: LivenessResponse, rate: 'none' })
  live(): LivenessResponse {
    return { status: 'ok' };
  }

  @Get('readyz/')
  @Public()
  @Route({
    summary: 'Whether all that the api needs answers',
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
