import { AuthorizationRequests, CurrentUser, hostShown, type Principal, schemeShown } from '@app/auth';
import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { McpAddress } from '../mcp-address.js';
import { ConsentAnswerRequest, ConsentAnswerResponse, ConsentRequestResponse } from './consent.dto.js';

/** What the web app shows and tells when an MCP client asks its user for access. For sessions alone. */
@ApiTags('MCP sign-in')
@PartOf('core')
@Controller('oauth/requests')
export class ConsentController {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly address: McpAddress,
  ) {}

  @Get(':id/')
  @Route({
    summary: 'What a program asks for',
    description:
      'For the consent page: the name of the client, where the answer goes, and the scopes. 404 for requests that are answered or too old.',
    response: ConsentRequestResponse,
  })
  async get(@UuidParam('id') id: string): Promise<ConsentRequestResponse> {
    const { client, redirectUri, scopes, expiresAt } = await this.requests.get(id);
    return {
      client_name: client.name,
      client_uri: client.uri,
      redirect_host: hostShown(redirectUri),
      // As browsers write it: no letters that pass for others, nothing that turns the direction of writing.
      redirect_uri: new URL(redirectUri).href,
      redirect_scheme: schemeShown(redirectUri),
      scopes,
      expires_at: expiresAt,
    };
  }

  @Post(':id/')
  @Route({
    summary: 'Answer it',
    description: 'Once. The browser then goes to `redirect_to`, whatever the answer.',
    errors: 'fields',
    response: ConsentAnswerResponse,
    open: true,
  })
  async answer(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { approve, scopes }: ConsentAnswerRequest,
    @Req() request: Request,
  ): Promise<ConsentAnswerResponse> {
    const granted = approve ? (scopes ?? 'all') : null;
    return { redirect_to: await this.requests.answer(viewer, id, granted, this.address.base(request)) };
  }
}
