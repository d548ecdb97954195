import { API_SCOPES, type ApiScope, type ApiTokenRecord, ApiTokens, CurrentUser, type Principal } from '@app/auth';
import { ONE_LINE, ValidationError } from '@app/common';
import { Body, Controller, Delete, Get, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { DateTimeField, IntegerField, kinds, ListField, StringField } from '../http/fields.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { userAgentOf } from '../http/user-agent.js';

export class ApiTokenRequest {
  @StringField({ ...ONE_LINE, maxLength: 100 })
  name: string;

  @ListField(kinds.choice(API_SCOPES), { minItems: 1, maxItems: API_SCOPES.length })
  scopes: ApiScope[];

  @DateTimeField({ optional: true, nullable: true, description: 'When it ends; never when absent.' })
  expires_at?: Date | null;
}

export class ApiTokenResponse {
  @IntegerField()
  id: number;

  @StringField()
  name: string;

  @ListField(kinds.choice(API_SCOPES))
  scopes: ApiScope[];

  @StringField({ description: "The token's last characters." })
  hint: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  expires_at: Date | null;

  @DateTimeField({ nullable: true, description: 'To the minute.' })
  last_used_at: Date | null;
}

export class NewApiTokenResponse extends ApiTokenResponse {
  @StringField({ description: 'Shown this once.' })
  token: string;
}

function toApiTokenResponse({ createdAt, expiresAt, lastUsedAt, ...record }: ApiTokenRecord): ApiTokenResponse {
  return { ...record, created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt };
}

@ApiTags('API tokens')
@PartOf('core')
@Controller('users/api-tokens')
export class ApiTokensController {
  constructor(private readonly tokens: ApiTokens) {}

  @Get()
  @Route({
    summary: 'List my API tokens',
    description: 'With the scopes of each and when it was last used. Their secrets are not shown again.',
    response: [ApiTokenResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<ApiTokenResponse[]> {
    return (await this.tokens.list(viewer)).map(toApiTokenResponse);
  }

  // No Idempotency-Key: the answer that it keeps would hold the token. One whose answer was lost is listed, and deleted.
  @Post()
  @Route({
    summary: 'Make an API token',
    description: 'For programs: `Authorization: Token atr_...`. It may do what its scopes say; 50 per account.',
    errors: { 400: 'fields', 409: 'detail' },
    response: NewApiTokenResponse,
    status: 201,
  })
  async create(
    @CurrentUser() viewer: Principal,
    @Body() { name, scopes, expires_at = null }: ApiTokenRequest,
    @Req() request: Request,
  ): Promise<NewApiTokenResponse> {
    if (expires_at && expires_at.getTime() <= Date.now())
      throw new ValidationError({ expires_at: ['Must be in the future.'] });
    const origin = { ip: request.ip ?? '', userAgent: userAgentOf(request) };
    const wanted = { name, scopes: [...new Set(scopes)], expiresAt: expires_at };
    const { record, token } = await this.tokens.create(viewer, wanted, origin);
    return { ...toApiTokenResponse(record), token };
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete one of my API tokens',
    description: 'It is refused from then on. 404 for tokens of others.',
    response: null,
  })
  revoke(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<void> {
    return this.tokens.revoke(viewer, id);
  }
}
