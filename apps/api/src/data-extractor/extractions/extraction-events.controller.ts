import { CurrentUser, type Principal } from '@app/auth';
import { ForbiddenError, NotFoundError } from '@app/common';
import { ExtractionFollowers, Extractions, type ToldEvent } from '@app/extraction';
import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { lastEventOf, writeNumberedEvents, type NumberedEvent } from '../../http/numbered-events.js';
import { OpenCalls } from '../../http/open-calls.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ExtractorGuard } from '../extractor.guard.js';
import { toRowResponse } from '../rows/row.dto.js';

/** How often it is asked again whether the table is shown to whoever follows. */
const LOOK_MS = 5000;

@ApiTags('Extracted tables')
@UseGuards(ExtractorGuard)
@PartOf('core')
@Controller('microservices/data-extractor/table/:tableId/extractions')
export class ExtractionEventsController {
  constructor(
    private readonly extractions: Extractions,
    private readonly followers: ExtractionFollowers,
    private readonly open: OpenCalls,
  ) {}

  @Get(':extractionId/events')
  @Route({
    summary: 'Follow an extraction',
    description:
      'Server-Sent Events: `row` with the row as the table shows it, `progress` and, last, `done`. From the beginning, or after `Last-Event-ID`; whoever comes back after `done` gets 204.',
    scope: 'documents:read',
    response: { contentType: 'text/event-stream', description: '`row`, `progress`, and `done` once and last.' },
    alsoAnswers: { 204: null },
    readsHeaders: ['Last-Event-ID'],
  })
  async events(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @UuidParam('extractionId') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.extractions.get(user.userId, tableId, id);
    const seen = lastEventOf(request) ?? 0;
    await writeNumberedEvents(response, {}, this.open.of(response), (signal) =>
      this.follow(user.userId, tableId, id, seen, signal),
    );
  }

  /** Ends, too, when the table is not shown to its follower any more. */
  private async *follow(
    userId: number,
    tableId: string,
    id: string,
    seen: number,
    signal: AbortSignal,
  ): AsyncGenerator<NumberedEvent | null, void> {
    let lookedAt = Date.now();
    for await (const told of this.followers.follow(id, seen, signal)) {
      if (Date.now() - lookedAt > LOOK_MS) {
        if (!(await this.isShown(userId, tableId, id))) return;
        lookedAt = Date.now();
      }
      yield told && toEvent(told);
    }
  }

  private async isShown(userId: number, tableId: string, id: string): Promise<boolean> {
    try {
      await this.extractions.get(userId, tableId, id);
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError || error instanceof NotFoundError) return false;
      throw error;
    }
  }
}

function toEvent(told: ToldEvent): NumberedEvent {
  const { seq, type } = told;
  if (type !== 'row') return { seq, event: type, data: told.progress };
  const { rowId, sourceUid, row } = told;
  return {
    seq,
    event: 'row',
    data: row ? toRowResponse(row) : { row_id: rowId, source_uid: sourceUid, deleted: true },
  };
}
