import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError, NotFoundError } from '@app/common';
import { PermanentLinks } from '@app/documents';
import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { UuidParam } from '../http/params.js';
import { Route } from '../http/route.js';
import { CreateLinkRequest, PermanentLinkResponse, toLinkResponse } from './links.dto.js';

/** docs/contract/artifacts.md#permanent-links. */
@Controller('artifacts/links')
export class LinksController {
  constructor(private readonly links: PermanentLinks) {}

  @Get()
  @Route({
    summary: 'List my permanent links',
    description: 'Addresses of files that need no sign-in and do not expire, with how often each was opened.',
    response: [PermanentLinkResponse],
  })
  async list(@CurrentUser() user: Principal): Promise<PermanentLinkResponse[]> {
    return (await this.links.list(user.userId)).map(toLinkResponse);
  }

  @Post()
  @Route({
    summary: 'Make a file public',
    description: 'The same file gives the same link. It never expires; delete it to end it.',
    errors: { 400: 'fields+error', 404: 'detail' },
    response: PermanentLinkResponse,
    status: 201,
  })
  async mint(@CurrentUser() user: Principal, @Body() body: CreateLinkRequest): Promise<PermanentLinkResponse> {
    if (body.artifact_uid !== undefined) throw new NotFoundError('Artifact not found.', { code: 'artifact_not_found' });
    if (body.media_path === undefined)
      throw new InvalidRequestError('Name an artifact or a media path.', { code: 'nothing_to_link' });
    return toLinkResponse(await this.links.mint(user, body.media_path));
  }

  @Delete(':uid/')
  @Route({
    summary: 'Take a permanent link back',
    description: 'Whoever opens the address afterwards finds nothing. 404 for links of others.',
    response: null,
  })
  async revoke(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<void> {
    await this.links.revoke(user, uid);
  }
}
