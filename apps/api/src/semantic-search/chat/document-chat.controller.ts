import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiRequest } from '../../http/api-request.js';
import { PartOf } from '../../http/part-of.js';
import { Route, type RawResponse, type RouteOptions } from '../../http/route.js';
import {
  AdvancedSearchRequest,
  AllFilesChatRequest,
  MultiFileChatRequest,
  ScopedChatRequest,
  SingleFileChatRequest,
} from './chat.dto.js';
import { DocumentChat } from './document-chat.service.js';

const EVENTS =
  'With `?framing=sse`: the events `sources`, `delta`, `done`, `error`, numbered as `GET /microservices/chat-turns/{turn_id}/events/` goes on from them. ' +
  'The same call again with its `Idempotency-Key` or `client_turn_id` is answered with the same turn, from its beginning.';

function streamed(summary: string, about: string, sources: string): RouteOptions {
  const response: RawResponse = {
    contentType: 'text/event-stream',
    description: `${sources}, immediately followed by the answer text. ${EVENTS}`,
  };
  return {
    summary,
    description: `${about} Costs calls of the language model.`,
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response,
    framing: true,
  };
}

const QUOTED =
  '; where the answer quotes a passage word for word, also `quote_spans: [{page, rect, approximate?}]`, the lines that it quotes';
const BY_PASSAGE = `A JSON array of sources \`{uid, filename, path, page, chunk_id, score, text, spans}\`${QUOTED}`;
const BY_DOCUMENT =
  'A JSON array of sources `{uid, filename, path, chunks: [{page, chunk_id, score, text, spans}]}`, which the answer cites by their place in it' +
  QUOTED;

/** Questions to documents (docs/contract/search.md#chats-with-documents). */
@PartOf('chat_ai')
@Controller('semantic-search')
export class DocumentChatController {
  constructor(private readonly chat: DocumentChat) {}

  @Post('single-file-chat/')
  @Route(streamed('Ask one document', 'Answers from this document alone, with sources.', BY_PASSAGE))
  single(
    @CurrentUser() user: Principal,
    @Body() body: SingleFileChatRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body, { uids: [body.uid], sources: 'passages' }, request, response);
  }

  @Post('multi-file-chat/')
  @Route(
    streamed(
      'Ask up to 50 documents',
      'Answers from the passages of these documents that fit, with sources.',
      BY_PASSAGE,
    ),
  )
  multi(
    @CurrentUser() user: Principal,
    @Body() body: MultiFileChatRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body, { uids: body.uids, sources: 'passages' }, request, response);
  }

  @Post('all-files-chat/')
  @Route(
    streamed(
      'Ask everything, or a folder',
      'Answers from the documents that the caller may read, with sources.',
      'A JSON array of media paths, then `||`',
    ),
  )
  all(
    @CurrentUser() user: Principal,
    @Body() body: AllFilesChatRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(
      user.userId,
      body,
      { folder: body.folder, tags: body.tags, sources: 'paths' },
      request,
      response,
    );
  }

  @Post('advanced-search/')
  @Route(
    streamed(
      'Search, and have the findings answer',
      'Finds passages by the filters of the search first, then answers from them alone, with sources.',
      BY_DOCUMENT,
    ),
  )
  advanced(
    @CurrentUser() user: Principal,
    @Body() body: AdvancedSearchRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { uids, folder, tags, query, mode, limit } = body;
    const asked = { ...body, message: body.message ?? query };
    return this.chat.reply(
      user.userId,
      asked,
      { uids, folder, tags, query, mode, limit, sources: 'grouped' },
      request,
      response,
    );
  }

  @Post('chat/')
  @Route(
    streamed(
      'Ask chosen documents, a folder or everything',
      'Answers from the passages that fit, with sources, or says that the documents do not tell.',
      BY_DOCUMENT,
    ),
  )
  scoped(
    @CurrentUser() user: Principal,
    @Body() body: ScopedChatRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { uids, folder, tags } = body;
    return this.chat.reply(user.userId, body, { uids, folder, tags, sources: 'grouped' }, request, response);
  }
}
