import { BoardLayout, Boards, BoardTiles } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Patch, Post, Put, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  BoardDetailResponse,
  BoardPageResponse,
  BoardsQuery,
  CreateBoardRequest,
  toBoardDetailResponse,
  toBoardResponse,
  UpdateBoardRequest,
} from './board.dto.js';
import { LayoutResponse, SaveLayoutRequest, toPlacedTiles } from './layout.dto.js';
import { CreateTileRequest, toNewTile, toWrittenTileResponse, WrittenTileResponse } from './tile.dto.js';

/** docs/contract/boards.md. */
@ApiTags('Boards')
@PartOf('dashboards')
@Controller('microservices/boards')
export class BoardsController {
  constructor(
    private readonly boards: Boards,
    private readonly tiles: BoardTiles,
    private readonly layout: BoardLayout,
  ) {}

  @Get()
  @Route({
    summary: 'List boards',
    description: 'Your own ones and those that are shared with you, what was changed last first.',
    errors: 'fields',
    response: BoardPageResponse,
  })
  async list(
    @CurrentUser() viewer: Principal,
    @Query() query: BoardsQuery,
    @Req() request: Request,
  ): Promise<BoardPageResponse> {
    const at = toPageRequest(query);
    const { count, items } = await this.boards.list(viewer.userId, at);
    return toPageResponse({ count, items: items.map(toBoardResponse) }, at, request);
  }

  @Post()
  @Route({
    summary: 'Create a board',
    description: 'An empty one, for you alone until you share it.',
    errors: 'fields',
    response: BoardDetailResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() viewer: Principal, @Body() body: CreateBoardRequest): Promise<BoardDetailResponse> {
    return toBoardDetailResponse(await this.boards.create(viewer, body));
  }

  @Get(':id/')
  @Route({
    summary: 'Get a board',
    description: 'With its tiles. What it shows is refreshed as long as somebody looks at it.',
    response: BoardDetailResponse,
  })
  async get(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<BoardDetailResponse> {
    return toBoardDetailResponse(await this.boards.look(viewer.userId, id));
  }

  @Patch(':id/')
  @Route({
    summary: 'Rename a board',
    description: 'Its name or its description. The owner and editors may.',
    errors: 'fields',
    response: BoardDetailResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: UpdateBoardRequest,
  ): Promise<BoardDetailResponse> {
    return toBoardDetailResponse(await this.boards.change(viewer, id, body));
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete a board',
    description: 'What it shows stays where it is. Only the owner may.',
    response: null,
  })
  async delete(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<void> {
    await this.boards.delete(viewer, id);
  }

  @Post(':id/tiles/')
  @Route({
    summary: 'Put something on a board',
    description: 'A chart or an artifact of your own, a kept result that you may see, or text.',
    errors: 'fields',
    response: WrittenTileResponse,
    status: 201,
    startsSomething: true,
  })
  async addTile(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: CreateTileRequest,
  ): Promise<WrittenTileResponse> {
    return toWrittenTileResponse(await this.tiles.add(viewer, id, toNewTile(body)));
  }

  @Put(':id/layout/')
  @Route({
    summary: 'Save where the tiles stand',
    description:
      '409 with `revision` and `tiles` as they are when somebody changed the tiles since `expected_revision`.',
    errors: { 400: 'fields', 409: 'detail' },
    response: LayoutResponse,
  })
  async saveLayout(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: SaveLayoutRequest,
  ): Promise<LayoutResponse> {
    return { revision: await this.layout.save(viewer, id, body.expected_revision, toPlacedTiles(body)) };
  }
}
