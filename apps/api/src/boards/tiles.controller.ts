import { BoardTiles, ShownTiles } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  OpenedTileResponse,
  TileResponse,
  toOpenedTileResponse,
  toTileChange,
  toTileResponse,
  toWrittenTileResponse,
  UpdateTileRequest,
  WrittenTileResponse,
} from './tile.dto.js';

/** docs/contract/boards.md#tiles. */
@ApiTags('Boards')
@PartOf('dashboards')
@Controller('microservices/tiles')
export class TilesController {
  constructor(
    private readonly tiles: BoardTiles,
    private readonly shown: ShownTiles,
  ) {}

  @Get(':id/')
  @Route({
    summary: 'Get a tile',
    description: 'With the kept result that it shows, for everybody on its board.',
    response: OpenedTileResponse,
  })
  async get(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<OpenedTileResponse> {
    return toOpenedTileResponse(await this.shown.open(viewer.userId, id));
  }

  @Patch(':id/')
  @Route({
    summary: 'Change a tile',
    description: 'Where it stands, what stands above it, how often it is refreshed; what it shows stays.',
    errors: 'fields',
    response: WrittenTileResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: UpdateTileRequest,
  ): Promise<WrittenTileResponse> {
    return toWrittenTileResponse(await this.tiles.change(viewer, id, toTileChange(body)));
  }

  @Delete(':id/')
  @Route({
    summary: 'Take a tile off its board',
    description: 'What it shows stays, but for a chart that belongs to nothing else any more.',
    response: null,
  })
  async delete(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<void> {
    await this.tiles.remove(viewer, id);
  }

  @Post(':id/refresh/')
  @Route({
    summary: 'Refresh a tile',
    description:
      'Has the data of its chart or artifact had anew, once for everybody; `refreshed_at` tells when it was.',
    errors: 'fields',
    response: TileResponse,
    status: 202,
    startsSomething: true,
  })
  async refresh(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<TileResponse> {
    return toTileResponse(await this.tiles.refresh(viewer, id));
  }
}
