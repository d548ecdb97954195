import { UnavailableError } from '@app/common';
import { Controller, Module, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AgentReplyResponse } from '../chats/agent-reply.dto.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';

/** Where tables are kept elsewhere, or nowhere: an agent would have nothing to work at. */
@ApiTags('Extracted tables')
@PartOf('chat_ai')
@Controller('microservices/agent/table-chat')
class NoTableChatController {
  @Post()
  @Route({
    summary: 'Have an agent work at a table',
    errors: { 400: 'fields+error' },
    scope: 'chats:write',
    response: AgentReplyResponse,
  })
  ask(): never {
    throw new UnavailableError('Tables of this deployment are not kept here: table-chat is not available.', {
      code: 'table_chat_not_available',
    });
  }
}

@Module({ controllers: [NoTableChatController] })
export class NoTableChatModule {}
