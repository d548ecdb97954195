import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CurrentUser, type Principal } from '@app/auth';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Route } from '../http/route.js';
import { contentDisposition } from '../media/content-disposition.js';
import { usageLines } from './usage-csv.js';
import { UsageQuery, PoolUsageResponse } from './usage.dto.js';
import { UsageView } from './usage-view.js';
import { PartOf } from '../http/part-of.js';

/** docs/contract/usage.md. */
@ApiTags('Usage')
@PartOf('core')
@Controller('subscriptions/usage')
export class UsageController {
  constructor(private readonly usage: UsageView) {}

  @Get()
  @Route({
    summary: 'What was used of runs, tokens and storage, and what it cost',
    description:
      'Of the pool whose quotas count, and of one’s own part in it; owners of the pool of an organisation see all of it, by person too. There whether plans are sold or not. `format=csv` gives the same figures as one table.',
    scope: 'profile:read',
    response: PoolUsageResponse,
    alsoAs: ['text/csv'],
    answersHeaders: ['Content-Disposition'],
  })
  async show(
    @CurrentUser() { userId }: Principal,
    @Query() { format, ...query }: UsageQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PoolUsageResponse | void> {
    const usage = await this.usage.of(userId, query);
    if (format === 'json') return usage;
    const name = `usage-${usage.start_date}-${usage.end_date}.csv`;
    response.setHeader('Content-Type', 'text/csv; charset=utf-8');
    response.setHeader('Content-Disposition', contentDisposition('attachment', name));
    await pipeline(Readable.from(usageLines(usage)), response);
  }
}
