import { CurrentUser, findUserId, type Principal } from '@app/auth';
import { ForbiddenError, NotFoundError } from '@app/common';
import { lastDays, UsageTotals } from '@app/models';
import { listWorkflowCosts } from '@app/workflows';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { CostsQuery, CostsResponse, toCostsResponse } from './costs.dto.js';

/** docs/contract/administration.md#costs. */
@ApiTags('Costs')
@PartOf('core')
@Controller('microservices/cost-tracker/users')
export class CostTrackerController {
  constructor(
    private readonly totals: UsageTotals,
    private readonly dataSource: DataSource,
  ) {}

  @Get(':username/costs')
  @Route({
    summary: 'What somebody has used language models for',
    description: 'One’s own; staff may read everybody’s.',
    errors: { 403: 'detail' },
    scope: 'profile:read',
    response: CostsResponse,
  })
  async costs(
    @CurrentUser() viewer: Principal,
    @Param('username') username: string,
    @Query() { days }: CostsQuery,
  ): Promise<CostsResponse> {
    // Whether the name exists is for staff alone to know.
    if (username !== viewer.username && !viewer.isStaff) throw new ForbiddenError();
    const userId = await findUserId(this.dataSource, username);
    if (userId === null) throw new NotFoundError();
    const period = lastDays(days);
    const report = await this.totals.report({ userId }, period);
    const [byModel, byWorkflow] = await Promise.all([
      this.totals.byModel({ userId }, period),
      listWorkflowCosts(this.dataSource, userId, period, report.currency),
    ]);
    return toCostsResponse(username, report, { byModel, byWorkflow });
  }
}
