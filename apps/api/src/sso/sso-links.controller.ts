import { CurrentUser, type Principal, SsoLinks } from '@app/auth';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { LinkRequest, LinkResponse, UnlinkRequest, UnlinkResponse } from './sso.dto.js';

@ApiTags('Single sign-on')
@PartOf('core')
@Controller('users/sso')
export class SsoLinksController {
  constructor(private readonly links: SsoLinks) {}

  @Post('link/')
  @Route({
    summary: 'Link a verified provider account',
    description: 'Takes the place of the one that was linked before.',
    errors: { 409: 'detail' },
    response: LinkResponse,
    startsSomething: true,
    open: true,
  })
  async link(@CurrentUser() viewer: Principal, @Body() body: LinkRequest): Promise<LinkResponse> {
    const { provider, sub: subject, rek_wrapped } = body;
    const { email, hasKey } = await this.links.link(viewer, { provider, subject, wrappedKey: rek_wrapped || null });
    return { message: 'The provider is linked.', provider, email, has_encryption_key: hasKey };
  }

  @Post('unlink/')
  @Route({
    summary: 'Unlink a provider',
    description:
      'The account at the provider does not sign in here any more. The last way to sign in cannot be removed.',
    errors: { 404: 'detail', 409: 'detail' },
    response: UnlinkResponse,
    open: true,
  })
  async unlink(@CurrentUser() viewer: Principal, @Body() { provider }: UnlinkRequest): Promise<UnlinkResponse> {
    await this.links.unlink(viewer, provider);
    return { message: 'The provider is unlinked.', provider };
  }
}
