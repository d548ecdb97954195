import { BOARD_LIMITS, type PlacedTile } from '@app/artifacts';
import { ValidationError } from '@app/common';
import { IntegerField, ListField } from '../http/fields.js';

const { x: X, y: Y, size: SIZE } = BOARD_LIMITS;
/** Where a tile may stand. */
export const PLACE = {
  x: { min: 0, max: X },
  y: { min: 0, max: Y },
  w: { min: 1, max: SIZE },
  h: { min: 1, max: SIZE },
} as const;

export class PlacedTileRequest {
  @IntegerField()
  id: number;

  @IntegerField(PLACE.x)
  x: number;

  @IntegerField(PLACE.y)
  y: number;

  @IntegerField(PLACE.w)
  w: number;

  @IntegerField(PLACE.h)
  h: number;
}

export class SaveLayoutRequest {
  @IntegerField({ min: 0, description: 'The revision of the board that was read last.' })
  expected_revision: number;

  @ListField(() => PlacedTileRequest, {
    maxItems: BOARD_LIMITS.tiles,
    description: 'Tiles that are not named stay where they are.',
  })
  tiles: PlacedTileRequest[];
}

export class LayoutResponse {
  @IntegerField()
  revision: number;
}

/** @throws ValidationError for a tile that is named twice */
export function toPlacedTiles({ tiles }: SaveLayoutRequest): PlacedTile[] {
  if (new Set(tiles.map(({ id }) => id)).size < tiles.length)
    throw new ValidationError({ tiles: ['Name each tile once.'] });
  return tiles;
}
