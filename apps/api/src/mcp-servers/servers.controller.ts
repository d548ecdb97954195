import { CurrentUser, type Principal } from '@app/auth';
import { McpServers, ServerProbe, ServerRecords } from '@app/mcp';
import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  ProbeResponse,
  ServerDeletedResponse,
  ServerRequest,
  ServerResponse,
  toProbeResponse,
  toServerDraft,
  toServerResponse,
  TryServerRequest,
} from './server.dto.js';

const rate = { bucket: 'mcp-test', perMinute: 30 };

/** The tool servers (MCP) that a user connects. */
@ApiTags('Tool servers')
@PartOf('core')
@Controller('mcp-servers/servers')
export class ServersController {
  constructor(
    private readonly servers: McpServers,
    private readonly records: ServerRecords,
    private readonly probe: ServerProbe,
  ) {}

  @Get('/')
  @Route({ summary: 'List my tool servers', description: 'Newest first.', response: [ServerResponse] })
  async list(@CurrentUser() viewer: Principal): Promise<ServerResponse[]> {
    return (await this.records.list(viewer.userId)).map(toServerResponse);
  }

  @Post('/')
  @Route({
    summary: 'Connect a tool server',
    description:
      'Ten per account (`mcp_limit_reached`). Other refusals: `mcp_label_required`, `mcp_url_not_https`, ' +
      '`mcp_address_blocked`. Nothing is offered to the agent before the first test.',
    response: ServerResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() viewer: Principal, @Body() body: ServerRequest): Promise<ServerResponse> {
    return toServerResponse(await this.servers.create(viewer, toServerDraft(body)));
  }

  @Post('test/')
  @Route({
    summary: 'Try a configuration that is not saved',
    errors: { 404: 'detail' },
    description: 'Always 200 for what is wrong with the server, within 20 seconds.',
    response: ProbeResponse,
    rate,
  })
  async try(@CurrentUser() viewer: Principal, @Body() body: TryServerRequest): Promise<ProbeResponse> {
    return toProbeResponse(await this.probe.tryDraft(viewer.userId, toServerDraft(body), body.id ?? null));
  }

  @Get(':id/')
  @Route({
    summary: 'Show a tool server',
    description: 'Its address, state and what it said of itself; secrets are never shown. 404 for servers of others.',
    response: ServerResponse,
  })
  async get(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<ServerResponse> {
    return toServerResponse(await this.records.get(viewer.userId, id));
  }

  @Put(':id/')
  @Route({
    summary: 'Change a tool server',
    description:
      'What is absent stays. Another url, auth_type, auth_header_name or secret resets the status; another url erases ' +
      'the secret unless a new one comes along.',
    response: ServerResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: ServerRequest,
  ): Promise<ServerResponse> {
    return toServerResponse(await this.servers.update(viewer, id, toServerDraft(body)));
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete a tool server',
    description: 'Tokens of a sign-in are revoked with their provider where that is possible.',
    response: ServerDeletedResponse,
  })
  async delete(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<ServerDeletedResponse> {
    await this.servers.delete(viewer, id);
    return { message: 'The server has been deleted.' };
  }

  @Post(':id/test/')
  @Route({
    summary: 'Test a tool server',
    description: 'Always 200 for what is wrong with the server, within 20 seconds. The outcome is kept.',
    response: ProbeResponse,
    rate,
  })
  async test(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<ProbeResponse> {
    return toProbeResponse(await this.probe.test(viewer.userId, id));
  }
}
