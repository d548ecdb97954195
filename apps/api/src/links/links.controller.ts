import { ArtifactLinks } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { PermanentLinks } from '@app/documents';
import { Body, Controller, Delete, Get, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { UuidParam } from '../http/params.js';
import { publicAddress } from '../http/public-address.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { PageOrigin } from '../pages/page-origin.js';
import { CreateLinkRequest, PermanentLinkResponse, toLinkResponse } from './links.dto.js';

/** docs/contract/artifacts.md#permanent-links. */
@PartOf('core')
@Controller('artifacts/links')
export class LinksController {
  constructor(
    private readonly links: PermanentLinks,
    private readonly artifacts: ArtifactLinks,
    private readonly pages: PageOrigin,
  ) {}

  @Get()
  @Route({
    summary: 'List my permanent links',
    description:
      'Addresses of files and artifacts that need no sign-in and do not expire, with how often each was opened.',
    response: [PermanentLinkResponse],
  })
  async list(@CurrentUser() user: Principal, @Req() request: Request): Promise<PermanentLinkResponse[]> {
    const links = await this.links.list(user.userId);
    return links.map((link) => toLinkResponse(link, this.originOf(link.artifactUid, request)));
  }

  @Post()
  @Route({
    summary: 'Make a file or an artifact public',
    description:
      'The same file, or artifact, gives the same link. It never expires; delete it to end it. 404 for artifacts of others.',
    errors: { 400: 'fields+error', 404: 'detail' },
    response: PermanentLinkResponse,
    status: 201,
  })
  async mint(
    @CurrentUser() user: Principal,
    @Body() body: CreateLinkRequest,
    @Req() request: Request,
  ): Promise<PermanentLinkResponse> {
    const { artifact_uid: artifactUid = null, media_path: path = null } = body;
    if (artifactUid !== null && path !== null)
      throw new InvalidRequestError('Name an artifact or a media path, not both.', { code: 'two_things_to_link' });
    if (artifactUid !== null) {
      const origin = this.pages.of(artifactUid, publicAddress(request));
      return toLinkResponse(await this.artifacts.mint(user, artifactUid), origin);
    }
    if (path === null) throw new InvalidRequestError('Name an artifact or a media path.', { code: 'nothing_to_link' });
    return toLinkResponse(await this.links.mint(user, path), '');
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

  /** Files are at the address of the api, pages are not. */
  private originOf(artifactUid: string | null, request: Request): string {
    return artifactUid === null ? '' : (this.pages.find(artifactUid, publicAddress(request)) ?? '');
  }
}
