import { CurrentUser, type Principal } from '@app/auth';
import { ServerContents } from '@app/mcp';
import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PageQuery, toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { untilGone } from '../http/until-gone.js';
import {
  FillPromptRequest,
  FillPromptResponse,
  ReadResourceRequest,
  ReadResourceResponse,
  ServerPromptPage,
  ServerResourcePage,
  toFillResponse,
  toPromptResponse,
  toPromptValues,
  toReadResponse,
  toResourceResponse,
} from './server-contents.dto.js';

const rate = { bucket: 'mcp-contents', perMinute: 120 };
const description = 'Asked of the server each time: 502 and 504 when it does not answer.';

/** Resources and prompts of a connected server (additive). */
@ApiTags('Tool servers')
@PartOf('core')
@Controller('mcp-servers/servers/:id')
export class ServerContentsController {
  constructor(private readonly contents: ServerContents) {}

  @Get('resources/')
  @Route({
    summary: 'List the resources of a tool server',
    errors: { 502: 'detail', 504: 'detail' },
    description,
    response: ServerResourcePage,
    rate,
  })
  async resources(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Query() query: PageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ServerResourcePage> {
    const found = await this.contents.resources(viewer.userId, id, untilGone(response));
    return pageOf(found.map(toResourceResponse), query, request);
  }

  @Post('resources/read/')
  @Route({
    summary: 'Read a resource of a tool server',
    errors: { 502: 'detail', 504: 'detail' },
    description,
    response: ReadResourceResponse,
    rate,
  })
  async read(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() { uri }: ReadResourceRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReadResourceResponse> {
    return toReadResponse(await this.contents.read(viewer.userId, id, uri, untilGone(response)));
  }

  @Get('prompts/')
  @Route({
    summary: 'List the prompts of a tool server',
    errors: { 502: 'detail', 504: 'detail' },
    description,
    response: ServerPromptPage,
    rate,
  })
  async prompts(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Query() query: PageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ServerPromptPage> {
    const found = await this.contents.prompts(viewer.userId, id, untilGone(response));
    return pageOf(found.map(toPromptResponse), query, request);
  }

  @Post('prompts/get/')
  @Route({
    summary: 'Have a prompt of a tool server filled in',
    errors: { 502: 'detail', 504: 'detail' },
    description,
    response: FillPromptResponse,
    rate,
  })
  async fill(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: FillPromptRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FillPromptResponse> {
    const wanted = { name: body.name, values: toPromptValues(body) };
    return toFillResponse(await this.contents.fill(viewer.userId, id, wanted, untilGone(response)));
  }
}

function pageOf<T>(all: T[], query: PageQuery, request: Request) {
  const at = toPageRequest(query);
  const items = all.slice((at.page - 1) * at.pageSize, at.page * at.pageSize);
  return toPageResponse({ count: all.length, items }, at, request);
}
