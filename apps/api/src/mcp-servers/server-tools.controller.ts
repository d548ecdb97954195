import { CurrentUser, type Principal } from '@app/auth';
import { ServerRecords, StoredTools, ToolAcceptance } from '@app/mcp';
import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  AcceptToolsRequest,
  ChosenToolsRequest,
  ServerToolPage,
  ServerToolsQuery,
  toHashes,
  ToolsChangedResponse,
  toServerToolResponse,
  toToolChoice,
} from './server-tools.dto.js';

/** What the agent may use of a connected server (additive). */
@ApiTags('Tool servers')
@PartOf('core')
@Controller('mcp-servers/servers/:id/tools')
export class ServerToolsController {
  constructor(
    private readonly records: ServerRecords,
    private readonly tools: StoredTools,
    private readonly acceptance: ToolAcceptance,
  ) {}

  @Get('/')
  @Route({
    summary: 'List the tools of a tool server',
    description:
      'As the server listed them when it was last asked, with which are switched on and which have changed since they were accepted.',
    response: ServerToolPage,
  })
  async list(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Query() query: ServerToolsQuery,
    @Req() request: Request,
  ): Promise<ServerToolPage> {
    await this.records.get(viewer.userId, id);
    const at = toPageRequest(query);
    const { search, state = null } = query;
    const page = await this.tools.list(id, { search: search || null, state }, at);
    return toPageResponse({ ...page, items: page.items.map(toServerToolResponse) }, at, request);
  }

  @Post('accept/')
  @Route({
    summary: 'Accept tools that are new or have changed',
    description: 'A tool whose definition the server changes is off until its owner accepts it as it is now.',
    errors: { 409: 'detail' },
    response: ToolsChangedResponse,
  })
  async accept(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: AcceptToolsRequest,
  ): Promise<ToolsChangedResponse> {
    return { count: await this.acceptance.accept(viewer, id, toToolChoice(body), toHashes(body)) };
  }

  @Post('enable/')
  @Route({
    summary: 'Switch tools on',
    description: 'The named tools, or all: agents and workflows may call them from now on.',
    response: ToolsChangedResponse,
  })
  async enable(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: ChosenToolsRequest,
  ): Promise<ToolsChangedResponse> {
    return { count: await this.acceptance.enable(viewer, id, toToolChoice(body), true) };
  }

  @Post('disable/')
  @Route({
    summary: 'Switch tools off',
    description: 'The named tools, or all: agents and workflows are not offered them any more.',
    response: ToolsChangedResponse,
  })
  async disable(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: ChosenToolsRequest,
  ): Promise<ToolsChangedResponse> {
    return { count: await this.acceptance.enable(viewer, id, toToolChoice(body), false) };
  }
}
