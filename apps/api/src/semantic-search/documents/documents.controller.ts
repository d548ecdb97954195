import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { UuidParam } from '../../http/params.js';
import { Route, type RateLimit } from '../../http/route.js';
import { DocumentReader, type DocumentStatusRow } from './document-reader.js';
import {
  DocumentResponse,
  DocumentStatusResponse,
  StatusLookupRequest,
  toDocumentResponse,
  toTrashedDocumentResponse,
  TrashedDocumentResponse,
} from './document.dto.js';

/** Document 2, section 8. */
const STATUS_POLLING: RateLimit = { bucket: 'document-status', perMinute: 120 };

@Controller('semantic-search/documents')
export class DocumentsController {
  constructor(private readonly reader: DocumentReader) {}

  @Get('/')
  @Route({ summary: 'List own and shared documents, newest first', response: [DocumentResponse] })
  async list(@CurrentUser() user: Principal): Promise<DocumentResponse[]> {
    const documents = await this.reader.listVisible(user.userId);
    return documents.map((document) => toDocumentResponse(document, user.userId));
  }

  @Get('status/')
  @Route({
    summary: 'Poll the documents that are not finished',
    response: [DocumentStatusResponse],
    rate: STATUS_POLLING,
  })
  async unfinished(@CurrentUser() user: Principal): Promise<DocumentStatusResponse[]> {
    return (await this.reader.listUnfinished(user.userId)).map(toStatusResponse);
  }

  @Post('status/')
  @Route({
    summary: 'Look up the state of documents',
    errors: 'fields',
    response: [DocumentStatusResponse],
    rate: STATUS_POLLING,
  })
  async statuses(
    @CurrentUser() user: Principal,
    @Body() { uids }: StatusLookupRequest,
  ): Promise<DocumentStatusResponse[]> {
    return (await this.reader.findStatuses(user.userId, uids)).map(toStatusResponse);
  }

  @Get('trash/')
  @Route({ summary: 'List the trash', response: [TrashedDocumentResponse] })
  async trash(@CurrentUser() user: Principal): Promise<TrashedDocumentResponse[]> {
    const documents = await this.reader.listTrashed(user.userId);
    return documents.map((document) => toTrashedDocumentResponse(document, user.userId));
  }

  @Get(':uid/')
  @Route({ summary: 'Get one document', response: DocumentResponse })
  async get(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<DocumentResponse> {
    return toDocumentResponse(await this.reader.getVisible(user.userId, uid), user.userId);
  }
}

function toStatusResponse(row: DocumentStatusRow): DocumentStatusResponse {
  return {
    uid: row.uid,
    processing_state: row.processingState,
    status: row.status,
    last_error: row.lastError,
    created_at: row.createdAt,
  };
}
