import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Route, type RawResponse, type RouteOptions } from '../../http/route.js';
import {
  AdvancedSearchRequest,
  AllFilesChatRequest,
  MultiFileChatRequest,
  ScopedChatRequest,
  SingleFileChatRequest,
} from './chat.dto.js';
import { DocumentChat } from './document-chat.service.js';
import { GROUPED, PASSAGES, PATHS } from './source-lists.js';

const EVENTS = 'With `?framing=sse`: the events `sources`, `delta`, `done`, `error`.';

function streamed(summary: string, sources: string): RouteOptions {
  const response: RawResponse = {
    contentType: 'text/event-stream',
    description: `${sources}, immediately followed by the answer text (document 2, section 6). ${EVENTS}`,
  };
  return { summary, errors: 'fields+error', scope: 'chats:write', response };
}

const BY_PASSAGE = 'A JSON array of sources `{uid, filename, path, page, chunk_id, score, text, spans}`';
const BY_DOCUMENT =
  'A JSON array of sources `{uid, filename, path, chunks: [{page, chunk_id, score, text, spans}]}`, which the answer cites by their place in it';

/** Questions to documents (document 3, B5). */
@Controller('semantic-search')
export class DocumentChatController {
  constructor(private readonly chat: DocumentChat) {}

  @Post('single-file-chat/')
  @Route(streamed('Ask one document', BY_PASSAGE))
  single(
    @CurrentUser() user: Principal,
    @Body() body: SingleFileChatRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body, { uids: [body.uid], sources: PASSAGES }, request, response);
  }

  @Post('multi-file-chat/')
  @Route(streamed('Ask up to 50 documents', BY_PASSAGE))
  multi(
    @CurrentUser() user: Principal,
    @Body() body: MultiFileChatRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body, { uids: body.uids, sources: PASSAGES }, request, response);
  }

  @Post('all-files-chat/')
  @Route(streamed('Ask everything, or a folder', 'A JSON array of media paths, then `||`'))
  all(
    @CurrentUser() user: Principal,
    @Body() body: AllFilesChatRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body, { folder: body.folder, sources: PATHS }, request, response);
  }

  @Post('advanced-search/')
  @Route(streamed('Search, and have the findings answer', BY_DOCUMENT))
  advanced(
    @CurrentUser() user: Principal,
    @Body() body: AdvancedSearchRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { uids, folder, query, mode, limit } = body;
    const asked = { ...body, message: body.message ?? query };
    return this.chat.reply(
      user.userId,
      asked,
      { uids, folder, query, mode, limit, sources: GROUPED },
      request,
      response,
    );
  }

  @Post('chat/')
  @Route(streamed('Ask chosen documents, a folder or everything', BY_DOCUMENT))
  scoped(
    @CurrentUser() user: Principal,
    @Body() body: ScopedChatRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { uids, folder } = body;
    return this.chat.reply(user.userId, body, { uids, folder, sources: GROUPED }, request, response);
  }
}
