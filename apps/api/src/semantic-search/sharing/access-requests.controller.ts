import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { AccessDecisions, AccessRequestReader, AccessRequests, type DecisionName } from '@app/documents';
import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { SlowLimiter, type SlowLimit } from '../../http/slow-limiter.js';
import {
  AccessDecidedResponse,
  AccessRequestCancelledResponse,
  AccessRequestedResponse,
  AccessRequestResponse,
  AccessRequestsQuery,
  CancelAccessRequest,
  CreateAccessRequest,
  DecideAccessRequest,
  DenyAccessRequest,
  toAccessRequestResponse,
} from './access-request.dto.js';

/** Each one mails somebody, also when it is cancelled and made again. */
const REQUESTS: SlowLimit = { bucket: 'access-request', limit: 30, seconds: 3600 };

const DECIDED = {
  approve: { code: 'request_approved', detail: 'The request is approved.' },
  deny: { code: 'request_denied', detail: 'The request is denied.' },
  revoke: { code: 'access_revoked', detail: 'The access is revoked.' },
} as const;

/** Asking for documents, and what their owners say (docs/contract/documents.md#access-requests). */
@PartOf('core')
@Controller('semantic-search/documents')
export class AccessRequestsController {
  constructor(
    private readonly reader: AccessRequestReader,
    private readonly requests: AccessRequests,
    private readonly decisions: AccessDecisions,
    private readonly limiter: SlowLimiter,
  ) {}

  @Get('requests/')
  @Route({
    summary: 'List access requests',
    description: 'Those that wait for your decision, and those that you made.',
    scope: 'documents:read',
    response: [AccessRequestResponse],
  })
  async list(@CurrentUser() user: Principal, @Query() query: AccessRequestsQuery): Promise<AccessRequestResponse[]> {
    const { userId } = user;
    const found = query.my === undefined ? this.reader.listReceived(userId) : this.reader.listMade(userId);
    return (await found).map((request) => toAccessRequestResponse(request, userId));
  }

  @Post('request/')
  @Route({
    forViewers: true,
    summary: 'Ask for access to a document',
    description: 'The owner is asked, and decides. A second request for the same document changes nothing.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'documents:write',
    response: AccessRequestedResponse,
    status: 201,
    startsSomething: true,
  })
  async request(
    @CurrentUser() user: Principal,
    @Body() { path }: CreateAccessRequest,
  ): Promise<AccessRequestedResponse> {
    await this.limiter.hit(REQUESTS, String(user.userId));
    const request = toAccessRequestResponse(await this.requests.request(user, path), user.userId);
    return { detail: 'The owner has been asked.', code: 'request_created', request };
  }

  @Delete('request/')
  @Route({
    summary: 'Take my pending request back',
    description: 'The request is named by `id` or `path`, in the body or in the query.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail' },
    scope: 'documents:write',
    response: AccessRequestCancelledResponse,
  })
  async cancel(
    @CurrentUser() user: Principal,
    @Body() body: CancelAccessRequest,
    @Query() query: CancelAccessRequest,
  ): Promise<AccessRequestCancelledResponse> {
    await this.requests.cancel(user.userId, readTarget(body) ?? readTarget(query) ?? nothingNamed());
    return { detail: 'The request is cancelled.', code: 'request_cancelled' };
  }

  @Post('approve/')
  @Route({
    summary: 'Approve an access request',
    description: 'The person who asked may read the document from now on. Only its owner may.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    scope: 'documents:write',
    response: AccessDecidedResponse,
  })
  approve(@CurrentUser() user: Principal, @Body() { id }: DecideAccessRequest): Promise<AccessDecidedResponse> {
    return this.decide(user, id, 'approve');
  }

  @Post('deny/')
  @Route({
    summary: 'Deny an access request',
    description: 'The person who asked is told. Only the owner of the document may.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    scope: 'documents:write',
    response: AccessDecidedResponse,
    open: true,
  })
  deny(@CurrentUser() user: Principal, @Body() { id, reason }: DenyAccessRequest): Promise<AccessDecidedResponse> {
    return this.decide(user, id, 'deny', reason);
  }

  @Post('revoke/')
  @Route({
    summary: 'Revoke an approved access request',
    description: 'The person cannot read the document any more. Only its owner may.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    scope: 'documents:write',
    response: AccessDecidedResponse,
    open: true,
  })
  revoke(@CurrentUser() user: Principal, @Body() { id }: DecideAccessRequest): Promise<AccessDecidedResponse> {
    return this.decide(user, id, 'revoke');
  }

  private async decide(user: Principal, id: number, name: DecisionName, reason = ''): Promise<AccessDecidedResponse> {
    const request = await this.decisions.decide(user, id, name, reason);
    return { ...DECIDED[name], request: toAccessRequestResponse(request, user.userId) };
  }
}

/** The id counts where both are given. */
function readTarget({ id, path }: CancelAccessRequest): { id: number } | { path: string } | null {
  if (id !== undefined) return { id };
  return path === undefined ? null : { path };
}

function nothingNamed(): never {
  throw new InvalidRequestError('Name the request by its id or by the path of its document.', {
    code: 'request_required',
  });
}
