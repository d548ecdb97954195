import { artifactNotFound, Artifacts } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { ForbiddenError, InvalidRequestError } from '@app/common';
import { type PermanentLinkRecord, PermanentLinks } from '@app/documents';
import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { UuidParam } from '../http/params.js';
import { Route } from '../http/route.js';
import { CreateLinkRequest, PermanentLinkResponse, toLinkResponse } from './links.dto.js';

/** docs/contract/artifacts.md#permanent-links. */
@Controller('artifacts/links')
export class LinksController {
  constructor(
    private readonly links: PermanentLinks,
    private readonly artifacts: Artifacts,
  ) {}

  @Get()
  @Route({
    summary: 'List my permanent links',
    description:
      'Addresses of files and artifacts that need no sign-in and do not expire, with how often each was opened.',
    response: [PermanentLinkResponse],
  })
  async list(@CurrentUser() user: Principal): Promise<PermanentLinkResponse[]> {
    return (await this.links.list(user.userId)).map(toLinkResponse);
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
  async mint(@CurrentUser() user: Principal, @Body() body: CreateLinkRequest): Promise<PermanentLinkResponse> {
    const { artifact_uid: artifactUid = null, media_path: path = null } = body;
    if (artifactUid !== null && path !== null)
      throw new InvalidRequestError('Name an artifact or a media path, not both.', { code: 'two_things_to_link' });
    if (artifactUid !== null) return toLinkResponse(await this.mintForArtifact(user, artifactUid));
    if (path === null) throw new InvalidRequestError('Name an artifact or a media path.', { code: 'nothing_to_link' });
    return toLinkResponse(await this.links.mint(user, path));
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

  /** An artifact of somebody else is as good as none, whether a board shows it or not. */
  private async mintForArtifact(user: Principal, artifactUid: string): Promise<PermanentLinkRecord> {
    const artifact = await this.artifacts.get(user.userId, artifactUid).catch((error: unknown) => {
      throw error instanceof ForbiddenError ? artifactNotFound() : error;
    });
    return this.links.mintForArtifact(user, artifact);
  }
}
