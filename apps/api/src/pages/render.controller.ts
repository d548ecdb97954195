import { ARTIFACT_LIMITS, ArtifactRefreshes, artifactNotFound, PageViews, renderPath } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { isUuid, ValidationError } from '@app/common';
import { Body, Controller, Param, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { publicAddress } from '../http/public-address.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { PageOrigin } from './page-origin.js';
import { RefreshResponse, RenderUrlRequest, RenderedUrlResponse } from './render.dto.js';

/** docs/contract/artifacts.md#rendering. */
@ApiTags('Artifacts')
@PartOf('dashboards')
@Controller('microservices/artifacts')
export class RenderController {
  constructor(
    private readonly views: PageViews,
    private readonly refreshes: ArtifactRefreshes,
    private readonly origin: PageOrigin,
  ) {}

  @Post(':id/render-url/')
  @Route({
    bodyOptional: true,
    forViewers: true,
    summary: 'Get an address that shows a page',
    description:
      'For the creator, and for those to whom a board shows the artifact. The address is on the origin of pages and good for 5 minutes; a page that is open goes on for as long as the caller may see it.',
    errors: { 400: 'fields', 404: 'detail' },
    response: RenderedUrlResponse,
    open: true,
  })
  async renderUrl(
    @CurrentUser() user: Principal,
    @Param('id') id: string,
    @Body() { version, state }: RenderUrlRequest,
    @Req() request: Request,
  ): Promise<RenderedUrlResponse> {
    const artifactId = known(id);
    requireSmall(state);
    const view = await this.views.open(user, artifactId, { ...(version && { version }), ...(state && { state }) });
    const origin = this.origin.of(artifactId, publicAddress(request));
    return {
      artifact_id: view.artifactId,
      version: view.version,
      title: view.title,
      kind: view.kind,
      url: `${origin}${renderPath(artifactId)}?token=${view.token}&version=${view.version}`,
      token: view.token,
    };
  }

  @Post(':id/refresh/')
  @Route({
    summary: 'Show current data at the next render',
    description: 'Retires what the queries of all versions gave. For the creator alone.',
    errors: { 403: 'detail', 404: 'detail' },
    response: RefreshResponse,
  })
  async refresh(@CurrentUser() user: Principal, @Param('id') id: string): Promise<RefreshResponse> {
    const artifactId = known(id);
    return { artifact_id: artifactId, retired: await this.refreshes.refresh(user.userId, artifactId) };
  }
}

/** @throws NotFoundError */
function known(id: string): string {
  if (!isUuid(id)) throw artifactNotFound();
  return id.toLowerCase();
}

/** @throws ValidationError */
function requireSmall(state: Record<string, unknown> | undefined): void {
  if (state === undefined || Buffer.byteLength(JSON.stringify(state)) <= ARTIFACT_LIMITS.stateBytes) return;
  throw new ValidationError({ state: [`Ensure this field has no more than ${ARTIFACT_LIMITS.stateBytes} bytes.`] });
}
