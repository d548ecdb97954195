import { ONE_LINE } from '@app/common';
import { BOARD_LIMITS, type BoardDetail, type BoardRecord } from '@app/artifacts';
import { ChoiceField, DateTimeField, IntegerField, ListField, NestedField, StringField } from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';
import { TilePersonResponse, TileResponse, toTileResponse } from './tile.dto.js';

const NAME = { ...ONE_LINE, maxLength: BOARD_LIMITS.nameCharacters } as const;
const DESCRIPTION = { maxLength: BOARD_LIMITS.descriptionCharacters, allowBlank: true } as const;

export class BoardsQuery extends PageQuery {}

export class CreateBoardRequest {
  @StringField(NAME)
  name: string;

  @StringField({ ...DESCRIPTION, default: '' })
  description: string;
}

export class UpdateBoardRequest {
  @StringField({ ...NAME, optional: true })
  name?: string;

  @StringField({ ...DESCRIPTION, optional: true })
  description?: string;
}

export class BoardResponse {
  @IntegerField()
  id: number;

  @StringField()
  name: string;

  @StringField()
  description: string;

  @IntegerField({ description: 'Rises with each change of the tiles.' })
  revision: number;

  @IntegerField()
  tile_count: number;

  @ChoiceField(['owner', 'editor', 'viewer'])
  my_role: string;

  @NestedField(() => TilePersonResponse)
  owner: TilePersonResponse;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export class BoardPageResponse extends PageOf(BoardResponse) {}

export class BoardDetailResponse extends BoardResponse {
  @ListField(() => TileResponse)
  tiles: TileResponse[];
}

export function toBoardResponse(board: BoardRecord): BoardResponse {
  return {
    id: board.id,
    name: board.name,
    description: board.description,
    revision: board.revision,
    tile_count: board.tileCount,
    my_role: board.role,
    owner: board.owner,
    created_at: board.createdAt,
    updated_at: board.updatedAt,
  };
}

export function toBoardDetailResponse(board: BoardDetail): BoardDetailResponse {
  return { ...toBoardResponse(board), tiles: board.tiles.map(toTileResponse) };
}
