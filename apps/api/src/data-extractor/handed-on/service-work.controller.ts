import { CurrentUser, type Principal } from '@app/auth';
import { ForbiddenError, InvalidRequestError, isUuid, NotFoundError } from '@app/common';
import { ReadableDocuments } from '@app/documents';
import { type ExtractorBytes, ExtractorService } from '@app/integrations';
import { Body, Controller, Get, Headers, Param, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiRequest } from '../../http/api-request.js';
import { beginEventStream } from '../../http/event-stream.js';
import { followUntilLeft } from '../../http/open-answers.js';
import { OpenCalls } from '../../http/open-calls.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { untilUnwanted, writePieces } from './client-gone.js';
import { readAnswer, SERVICE_ANSWERS } from './service-answers.js';
import { fieldsOf, textsOf } from './service-body.js';
import { ServiceCallers } from './service-callers.js';
import { handedOn, STREAM, WORKBOOK } from './service-routes.js';
import { scope, type ServiceAsker, ServiceTables } from './service-tables.js';

const EXTRACTION = ['document_uids', 'columns', 'mode', 'ocr', 'overwrite_edited'];
const MAX_DOCUMENTS = 500;
const EVENT_ID = /^[\x21-\x7e]{1,100}$/;

/** Extractions, questions and exports of tables that a separate service keeps (docs/contract/extractor-service.md). */
@PartOf('core')
@Controller('microservices/data-extractor')
export class ServiceWorkController {
  constructor(
    private readonly service: ExtractorService,
    private readonly tables: ServiceTables,
    private readonly callers: ServiceCallers,
    private readonly documents: ReadableDocuments,
    private readonly calls: OpenCalls,
  ) {}

  @Get('table/:table_id/export')
  @Route(
    handedOn('Export a table', {
      scope: 'documents:read',
      response: WORKBOOK,
      answersHeaders: ['Content-Disposition'],
    }),
  )
  async export(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const asker = await this.owning(user, response, id);
    const pieces = await this.service.workbook({
      method: 'GET',
      path: ['table', id, 'export'],
      query: scope(asker),
      ...asker,
    });
    response.status(200);
    response.setHeader('Content-Type', WORKBOOK.contentType);
    response.setHeader('Content-Disposition', 'attachment; filename="table.xlsx"');
    await writePieces(response, pieces, asker.signal);
  }

  @Post('table/:table_id/extract')
  @Route(handedOn('Extract documents', { scope: 'documents:write', status: 202, startsSomething: true }))
  async extract(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const request = fieldsOf(body, EXTRACTION);
    const uids = textsOf(request.document_uids, 'document_uids');
    if (uids.length > MAX_DOCUMENTS)
      throw new InvalidRequestError(`At most ${MAX_DOCUMENTS} documents at a time.`, { code: 'too_many_documents' });
    await this.requireReadable(user.userId, uids);
    const asker = await this.owning(user, response, id);
    return this.ask(asker, 'POST', ['table', id, 'extract'], request);
  }

  @Get('table/:table_id/extractions')
  @Route(handedOn('List extractions', { scope: 'documents:read' }))
  async extractions(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.ask(await this.owning(user, response, id), 'GET', ['table', id, 'extractions']);
  }

  @Get('table/:table_id/extractions/:extraction_id')
  @Route(handedOn('Read an extraction', { scope: 'documents:read' }))
  async extraction(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Param('extraction_id') extraction: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.ask(await this.owning(user, response, id), 'GET', ['table', id, 'extractions', extraction]);
  }

  @Post('table/:table_id/extractions/:extraction_id/cancel')
  @Route(handedOn('Cancel an extraction', { scope: 'documents:write', open: true }))
  async cancel(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Param('extraction_id') extraction: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const path = ['table', id, 'extractions', extraction, 'cancel'];
    return this.ask(await this.owning(user, response, id), 'POST', path, {});
  }

  @Post('table/:table_id/extractions/:extraction_id/retry')
  @Route(handedOn('Try failed documents of an extraction again', { scope: 'documents:write', status: 202 }))
  async retry(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Param('extraction_id') extraction: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const path = ['table', id, 'extractions', extraction, 'retry'];
    return this.ask(await this.owning(user, response, id), 'POST', path, {});
  }

  @Get('table/:table_id/extractions/:extraction_id/events')
  @Route(handedOn('Follow an extraction', { scope: 'documents:read', response: STREAM }))
  async events(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Param('extraction_id') extraction: string,
    @Headers('last-event-id') last: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const asker = await this.owning(user, response, id);
    const leaving = new AbortController();
    const signal = AbortSignal.any([asker.signal, leaving.signal]);
    const path = ['table', id, 'extractions', extraction, 'events'];
    const from = last !== undefined && EVENT_ID.test(last) ? last : undefined;
    const call = { method: 'GET' as const, path, query: scope(asker), caller: asker.caller, signal };
    const pieces = await this.service.stream(call, from);
    followUntilLeft(response, () => leaving.abort(new Error('This process stops.')));
    await this.tell(response, pieces, signal);
  }

  @Post('chat')
  @Route(
    handedOn('Ask a table', {
      scope: 'chats:write',
      response: { contentType: ['application/json', 'text/event-stream'], description: 'The answer.' },
    }),
  )
  async chat(
    @CurrentUser() user: Principal,
    @Body() body: unknown,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { table_id: id, params = {} } = fieldsOf(body, ['table_id', 'params']);
    if (typeof id !== 'string' || id === '')
      throw new InvalidRequestError('table_id is required.', { code: 'table_id_required' });
    const asker = await this.owning(user, response, id);
    const call = {
      method: 'POST' as const,
      path: ['chat'],
      query: scope(asker),
      body: { table_id: id, params },
      ...asker,
    };
    if ((request.headers.accept ?? '').toLowerCase().includes('text/event-stream'))
      return this.tell(response, await this.service.stream(call), asker.signal);
    const { answer } = readAnswer(SERVICE_ANSWERS.answer, await this.service.json(call));
    response.status(200).json({ answer, table_id: id });
  }

  private async tell(response: Response, pieces: ExtractorBytes, signal: AbortSignal): Promise<void> {
    beginEventStream(response);
    await writePieces(response, pieces, signal);
  }

  /** With the rights that the caller has now: the service may be able to read everything. */
  private async requireReadable(userId: number, uids: readonly string[]): Promise<void> {
    try {
      if (!uids.every(isUuid)) throw new NotFoundError();
      await this.documents.requireAll(userId, uids);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      throw new ForbiddenError('You cannot read all of these documents.', { code: 'document_forbidden' });
    }
  }

  private async ask(asker: ServiceAsker, method: 'GET' | 'POST', path: string[], body?: unknown): Promise<object> {
    const call = { method, path, query: scope(asker), ...(body === undefined ? {} : { body }), ...asker };
    return readAnswer(SERVICE_ANSWERS.any, await this.service.json(call));
  }

  private async owning(user: Principal, response: Response, id: string): Promise<ServiceAsker> {
    const asker = { caller: await this.callers.of(user), signal: untilUnwanted(response, this.calls) };
    await this.tables.requireOwn(asker, id);
    return asker;
  }
}
