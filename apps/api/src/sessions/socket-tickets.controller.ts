import { CurrentUser, type Principal, SocketTickets, TICKET_SECONDS } from '@app/auth';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { SocketTicketRequest, SocketTicketResponse } from './sessions.dto.js';

@ApiTags('Sessions')
@PartOf('core')
@Controller('ws')
export class SocketTicketsController {
  constructor(private readonly tickets: SocketTickets) {}

  @Post('ticket/')
  @Route({
    summary: 'Get a ticket for a WebSocket',
    description: 'Opens that channel once, within 30 seconds, as `?ticket=` or as a subprotocol.',
    errors: 'fields',
    scope: ['workflows:read', 'chats:write'],
    response: SocketTicketResponse,
    open: true,
  })
  async issue(
    @CurrentUser() viewer: Principal,
    @Body() { channel }: SocketTicketRequest,
  ): Promise<SocketTicketResponse> {
    return { ticket: await this.tickets.issue(viewer, channel), expires_in: TICKET_SECONDS };
  }
}
