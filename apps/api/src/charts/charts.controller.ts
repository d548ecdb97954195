import { chartNotFound, Charts } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError, isUuid } from '@app/common';
import { Controller, Get, Query } from '@nestjs/common';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { ChartListResponse, ChartResponse, DashboardDataQuery, toChartResponse } from './charts.dto.js';

const MOST_CHARTS = 20;

/** docs/contract/boards.md#charts. */
@PartOf('dashboards')
@Controller('microservices/dashboard-data')
export class ChartsController {
  constructor(private readonly charts: Charts) {}

  @Get()
  @Route({
    summary: 'Get charts with their rows',
    description: 'With `mgids` instead of `mgid`: `{charts, not_found}`.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'chats:write',
    response: { anyOf: [ChartResponse, ChartListResponse] },
  })
  async get(
    @CurrentUser() user: Principal,
    @Query() { mgid, mgids }: DashboardDataQuery,
  ): Promise<ChartResponse | ChartListResponse> {
    if (mgid) {
      if (!isUuid(mgid)) throw chartNotFound();
      return toChartResponse(await this.charts.get(user.userId, mgid.toLowerCase()));
    }
    const wanted = [...new Set((mgids ?? '').split(',').map((one) => one.trim()))].filter((one) => one !== '');
    if (wanted.length === 0) throw new InvalidRequestError('Name a chart by its mgid.', { code: 'mgid_required' });
    if (wanted.length > MOST_CHARTS)
      throw new InvalidRequestError(`At most ${MOST_CHARTS} charts can be read at once.`, { code: 'too_many_charts' });
    const found = await this.charts.list(
      user.userId,
      wanted.filter(isUuid).map((one) => one.toLowerCase()),
    );
    const known = new Set(found.map((chart) => chart.mgid));
    return {
      charts: found.map(toChartResponse),
      not_found: wanted.filter((one) => !known.has(one.toLowerCase())),
    };
  }
}
