import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Route, type RawResponse } from '../../http/route.js';
import { MultiFileChatRequest, SingleFileChatRequest } from './chat.dto.js';
import { DocumentChat } from './document-chat.service.js';

const STREAMED_ANSWER: RawResponse = {
  contentType: 'text/event-stream',
  description:
    'A JSON array of sources `{uid, filename, path, page, chunk_id, score, text}`, immediately followed by the answer ' +
    'text (document 2, section 6). With `?framing=sse`: the events `sources`, `delta`, `done`, `error`.',
};

@Controller('semantic-search')
export class DocumentChatController {
  constructor(private readonly chat: DocumentChat) {}

  @Post('single-file-chat/')
  @Route({ summary: 'Ask one document', errors: 'fields+error', scope: 'chats:write', response: STREAMED_ANSWER })
  single(
    @CurrentUser() user: Principal,
    @Body() body: SingleFileChatRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, [body.uid], body, request, response);
  }

  @Post('multi-file-chat/')
  @Route({ summary: 'Ask up to 50 documents', errors: 'fields+error', scope: 'chats:write', response: STREAMED_ANSWER })
  multi(
    @CurrentUser() user: Principal,
    @Body() body: MultiFileChatRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body.uids, body, request, response);
  }
}
