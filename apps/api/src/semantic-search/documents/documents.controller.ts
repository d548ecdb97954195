import { pipeline } from 'node:stream/promises';
import { CurrentUser, type Principal } from '@app/auth';
import { DocumentReader, type DocumentRecord, type DocumentStatusRow } from '@app/documents';
import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { sendJsonArray } from '../../http/json-array.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { type RateLimit, Route } from '../../http/route.js';
import {
  DocumentResponse,
  DocumentStatusResponse,
  StatusLookupRequest,
  toDocumentResponse,
  toTrashedDocumentResponse,
  TrashedDocumentResponse,
} from './document.dto.js';
import { presentDocument } from './present-document.js';

/** docs/contract/conventions.md#limits. */
const STATUS_POLLING: RateLimit = { bucket: 'document-status', perMinute: 120 };

@PartOf('core')
@Controller('semantic-search/documents')
export class DocumentsController {
  constructor(private readonly reader: DocumentReader) {}

  @Get('/')
  @Route({
    summary: 'List own and shared documents, newest first',
    description: 'A list with the state of each; those in the trash are not in it.',
    scope: 'documents:read',
    response: [DocumentResponse],
  })
  async list(@CurrentUser() user: Principal, @Res() response: Response): Promise<void> {
    const batches = this.reader.visibleBatches(user.userId);
    // The first query may fail while there still is a status to say so with.
    const first = await batches.next();
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    await pipeline(this.jsonArray(first, batches, user.userId), response);
  }

  @Get('status/')
  @Route({
    summary: 'Poll the documents that are not finished',
    description: 'Those that are being stored, read or indexed, with how far each is.',
    scope: 'documents:read',
    response: [DocumentStatusResponse],
    rate: STATUS_POLLING,
  })
  async unfinished(@CurrentUser() user: Principal): Promise<DocumentStatusResponse[]> {
    return this.presentStatuses(await this.reader.listUnfinished(user.userId));
  }

  @Post('status/')
  @Route({
    forViewers: true,
    summary: 'Look up the state of documents',
    description: 'Of the named documents; those that the caller may not read are left out.',
    errors: 'fields',
    scope: 'documents:read',
    response: [DocumentStatusResponse],
    rate: STATUS_POLLING,
    open: true,
  })
  async statuses(
    @CurrentUser() user: Principal,
    @Body() { uids }: StatusLookupRequest,
  ): Promise<DocumentStatusResponse[]> {
    return this.presentStatuses(await this.reader.findStatuses(user.userId, uids));
  }

  @Get('trash/')
  @Route({
    summary: 'List the trash',
    description: 'Own documents in the trash, with when each goes for good.',
    scope: 'documents:read',
    response: [TrashedDocumentResponse],
  })
  async trash(@CurrentUser() user: Principal, @Res() response: Response): Promise<void> {
    await sendJsonArray(response, this.reader.trashedBatches(user.userId), (document) =>
      toTrashedDocumentResponse(document, user.userId),
    );
  }

  @Get(':uid/')
  @Route({
    summary: 'Get one document',
    description:
      'Its state, folder, tags and what was found out about it. 404 for documents that the caller may not read.',
    scope: 'documents:read',
    response: DocumentResponse,
  })
  async get(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<DocumentResponse> {
    return presentDocument(this.reader, await this.reader.getVisible(user.userId, uid), user.userId);
  }

  private async presentStatuses(rows: DocumentStatusRow[]): Promise<DocumentStatusResponse[]> {
    const positions = await this.reader.queuePositions(rows);
    return rows.map((row) => toStatusResponse(row, positions.get(row.uid) ?? null));
  }

  /** A JSON array as text, a batch of documents at a time. */
  private async *jsonArray(
    first: IteratorResult<DocumentRecord[], void>,
    rest: AsyncGenerator<DocumentRecord[]>,
    viewerId: number,
  ): AsyncGenerator<string> {
    let separator = '[';
    for (let batch = first; !batch.done; batch = await rest.next()) {
      const positions = await this.reader.queuePositions(batch.value);
      const items = batch.value.map((document) =>
        JSON.stringify(toDocumentResponse(document, viewerId, positions.get(document.uid) ?? null)),
      );
      yield separator + items.join(',');
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
  }
}

function toStatusResponse(row: DocumentStatusRow, queuePosition: number | null): DocumentStatusResponse {
  return {
    uid: row.uid,
    processing_state: row.processingState,
    status: row.status,
    last_error: row.lastError,
    page_number: row.pageNumber,
    stage: row.stage,
    percent: row.percent,
    queue_position: queuePosition,
    created_at: row.createdAt,
  };
}
