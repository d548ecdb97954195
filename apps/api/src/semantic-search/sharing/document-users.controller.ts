import { CurrentUser, type Principal } from '@app/auth';
import { DocumentSharing } from '@app/documents';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route, type RateLimit } from '../../http/route.js';
import {
  DocumentPeopleResponse,
  SharedResponse,
  SharingRequest,
  toPeopleResponse,
  UnsharedResponse,
} from './sharing.dto.js';

/** The answer tells which addresses have accounts. */
const LOOKUPS: RateLimit = { bucket: 'document-sharing', perMinute: 30 };

/** Who may read a document (docs/contract/documents.md#sharing). */
@PartOf('core')
@Controller('semantic-search/documents/:uid/users')
export class DocumentUsersController {
  constructor(private readonly sharing: DocumentSharing) {}

  @Get()
  @Route({
    summary: 'List who can read a document',
    description: 'The owner and those whom it was shared with; readers see the owner and themselves.',
    scope: 'documents:read',
    response: DocumentPeopleResponse,
  })
  async list(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<DocumentPeopleResponse> {
    return toPeopleResponse(await this.sharing.listPeople(user.userId, uid));
  }

  @Post('add/')
  @Route({
    summary: 'Share a document',
    description: 'The person can read it and be answered from it from now on. Only its owner may.',
    errors: 'fields',
    scope: 'documents:write',
    response: SharedResponse,
    rate: LOOKUPS,
    startsSomething: true,
  })
  async add(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() { emails }: SharingRequest,
  ): Promise<SharedResponse> {
    const { done, invited, notFound, own } = await this.sharing.add(user, uid, emails);
    const detail = `Shared with ${countOf(done)}.${own.length > 0 ? ' The document is your own.' : ''}`;
    return { added: done, invited, not_found: notFound, detail };
  }

  @Post('remove/')
  @Route({
    summary: 'Stop sharing a document',
    description: 'The person cannot read it any more, nor be answered from it. Only the owner may.',
    errors: 'fields',
    scope: 'documents:write',
    response: UnsharedResponse,
    rate: LOOKUPS,
    open: true,
  })
  async remove(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() { emails }: SharingRequest,
  ): Promise<UnsharedResponse> {
    const { done, notFound } = await this.sharing.remove(user, uid, emails);
    return { removed: done, not_found: notFound, detail: `No longer shared with ${countOf(done)}.` };
  }
}

const countOf = ({ length }: string[]) => (length === 1 ? '1 person' : `${length} people`);
