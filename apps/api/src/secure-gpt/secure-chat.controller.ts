import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Put, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { KeepEncryptedRequest, SecureChatRequest } from './secure-chat.dto.js';
import { SecureChat } from './secure-chat.service.js';

/** docs/contract/chats.md#plain-and-encrypted-chats. */
@PartOf('chat_ai')
@Controller('secure-gpt')
export class SecureChatController {
  constructor(private readonly chat: SecureChat) {}

  @Post('chat/')
  @Route({
    summary: 'Talk with a model',
    description:
      'With files, and with what was said before in the session. The same call again with its `Idempotency-Key` or ' +
      '`client_turn_id` is answered with the same turn, from its beginning.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: {
      contentType: 'text/event-stream',
      description: 'The answer text. With `?framing=sse`: the events `delta`, `done`, `error`.',
    },
    framing: true,
  })
  ask(
    @CurrentUser() user: Principal,
    @Body() body: SecureChatRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body, request, response);
  }

  @Put('chat/:turnId/')
  @Route({
    summary: 'Keep an encrypted turn',
    description:
      'Question and answer of a turn that was asked with `encrypted`, as the client encrypted them with its own key. What ' +
      'the server had of them is erased at once; without this call, a few minutes after the end of the turn.',
    errors: { 400: 'fields', 409: 'detail' },
    scope: 'chats:write',
    response: null,
  })
  keep(
    @CurrentUser() user: Principal,
    @UuidParam('turnId') turnId: string,
    @Body() body: KeepEncryptedRequest,
  ): Promise<void> {
    return this.chat.keep(user.userId, turnId, body);
  }
}
