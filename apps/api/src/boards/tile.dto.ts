import {
  BOARD_LIMITS,
  type NewTile,
  TILE_KINDS,
  type TileChange,
  type TileKind,
  type TileRecord,
  type WrittenTile,
} from '@app/artifacts';
import { ONE_LINE, isUuid, NotFoundError, ValidationError } from '@app/common';
import type { OutputRecord } from '@app/workflows';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { PLACE } from './layout.dto.js';
import { OutputResponse, toOutputResponse } from '../workflows/outputs/outputs.dto.js';

const TITLE = {
  ...ONE_LINE,
  maxLength: BOARD_LIMITS.titleCharacters,
  nullable: true,
  description: 'Null: that of what it shows.',
} as const;
const TEXT = {
  maxLength: BOARD_LIMITS.textCharacters,
  description: 'Markdown, of a tile of the kind `text`.',
} as const;
const REFRESH = {
  nullable: true,
  min: BOARD_LIMITS.refreshAtLeast,
  max: BOARD_LIMITS.refreshAtMost,
  description: 'How old the data of a chart or an artifact may get; null: until somebody asks.',
} as const;
const SETTINGS = 'Of the client, up to 8 KB; `version` keeps that version of an artifact.';

export class CreateTileRequest {
  @ChoiceField(TILE_KINDS)
  kind: TileKind;

  @StringField({ optional: true, nullable: true, maxLength: 64, description: 'Of your own chart.' })
  mgid?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 64, description: 'Of your own artifact.' })
  artifact_id?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 64, description: 'Of a kept result that you may see.' })
  output_id?: string | null;

  @StringField({ ...TEXT, optional: true, nullable: true, trim: false })
  text?: string | null;

  @StringField({ ...TITLE, default: null })
  title: string | null;

  @IntegerField(PLACE.x)
  x: number;

  @IntegerField(PLACE.y)
  y: number;

  @IntegerField(PLACE.w)
  w: number;

  @IntegerField(PLACE.h)
  h: number;

  @ObjectField({ default: {}, description: SETTINGS })
  settings: Record<string, unknown>;

  @IntegerField({ ...REFRESH, default: null })
  refresh_seconds: number | null;
}

export class UpdateTileRequest {
  @StringField({ ...TITLE, optional: true })
  title?: string | null;

  @StringField({ ...TEXT, optional: true, trim: false })
  text?: string;

  @IntegerField({ ...PLACE.x, optional: true })
  x?: number;

  @IntegerField({ ...PLACE.y, optional: true })
  y?: number;

  @IntegerField({ ...PLACE.w, optional: true })
  w?: number;

  @IntegerField({ ...PLACE.h, optional: true })
  h?: number;

  @ObjectField({ optional: true, description: SETTINGS })
  settings?: Record<string, unknown>;

  @IntegerField({ ...REFRESH, optional: true })
  refresh_seconds?: number | null;
}

export class TilePersonResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;
}

export class TileResponse {
  @IntegerField()
  id: number;

  @IntegerField()
  board_id: number;

  @ChoiceField(TILE_KINDS)
  kind: TileKind;

  @UuidField({ nullable: true })
  mgid: string | null;

  @StringField({ nullable: true })
  artifact_id: string | null;

  @UuidField({ nullable: true })
  output_id: string | null;

  @StringField({ nullable: true })
  text: string | null;

  @StringField({ nullable: true, description: 'Null: it follows what it shows.' })
  title: string | null;

  @StringField({ nullable: true, description: 'What stands above it: its title, or that of what it shows.' })
  name: string | null;

  @IntegerField()
  x: number;

  @IntegerField()
  y: number;

  @IntegerField()
  w: number;

  @IntegerField()
  h: number;

  @ObjectField()
  settings: Record<string, unknown>;

  @IntegerField({ nullable: true })
  refresh_seconds: number | null;

  @DateTimeField({ nullable: true, description: 'When its data was last had anew.' })
  refreshed_at: Date | null;

  @DateTimeField({ nullable: true, description: 'Null while nobody looks at the board.' })
  refreshes_at: Date | null;

  @StringField({ description: 'Why the last refresh went wrong; else empty.' })
  last_error: string;

  @BooleanField({ description: 'What it shows is gone, or may not be seen here any more.' })
  broken: boolean;

  @NestedField(() => TilePersonResponse, { nullable: true })
  added_by: TilePersonResponse | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export class WrittenTileResponse extends TileResponse {
  @IntegerField({ description: 'The revision of the board after this.' })
  board_revision: number;
}

export class OpenedTileResponse extends TileResponse {
  @NestedField(() => OutputResponse, { nullable: true, description: 'Of a tile of the kind `output`.' })
  output: OutputResponse | null;
}

export function toTileResponse(tile: TileRecord): TileResponse {
  return {
    id: tile.id,
    board_id: tile.boardId,
    kind: tile.kind,
    mgid: tile.mgid,
    artifact_id: tile.artifactId,
    output_id: tile.outputId,
    text: tile.kind === 'text' ? tile.text : null,
    title: tile.title,
    name: tile.name,
    x: tile.x,
    y: tile.y,
    w: tile.w,
    h: tile.h,
    settings: tile.settings,
    refresh_seconds: tile.refreshSeconds,
    refreshed_at: tile.refreshedAt,
    refreshes_at: tile.refreshesAt,
    last_error: tile.lastError,
    broken: tile.broken,
    added_by: tile.addedBy,
    created_at: tile.createdAt,
    updated_at: tile.updatedAt,
  };
}

export function toWrittenTileResponse({ tile, boardRevision }: WrittenTile): WrittenTileResponse {
  return { ...toTileResponse(tile), board_revision: boardRevision };
}

export function toOpenedTileResponse(opened: { tile: TileRecord; output: OutputRecord | null }): OpenedTileResponse {
  return { ...toTileResponse(opened.tile), output: opened.output && toOutputResponse(opened.output) };
}

const SHOWN = { chart: 'mgid', artifact: 'artifact_id', output: 'output_id', text: 'text' } as const;

/** @throws ValidationError for what does not go with the kind; NotFoundError for what names nothing */
export function toNewTile(body: CreateTileRequest): NewTile {
  const { kind, title, x, y, w, h, settings, refresh_seconds: refreshSeconds } = body;
  const field = SHOWN[kind];
  const value = body[field] ?? null;
  if (value === null) throw new ValidationError({ [field]: ['This field is required.'] });
  for (const other of Object.values(SHOWN))
    if (other !== field && body[other] !== undefined && body[other] !== null)
      throw new ValidationError({ [other]: [`A tile of the kind ${kind} has none.`] });
  requireSmall(settings);
  const place = { title, x, y, w, h, settings, refreshSeconds };
  if (kind === 'text') return { kind, shows: null, text: value, ...place };
  if (!isUuid(value)) throw new NotFoundError('There is no such thing to show.', { code: `${kind}_not_found` });
  return { kind, shows: value.toLowerCase(), text: '', ...place };
}

/** @throws ValidationError */
export function toTileChange(body: UpdateTileRequest): TileChange {
  const { refresh_seconds: refreshSeconds, ...rest } = body;
  if (rest.settings) requireSmall(rest.settings);
  return { ...rest, ...(refreshSeconds !== undefined && { refreshSeconds }) };
}

function requireSmall(settings: Record<string, unknown>): void {
  if (Buffer.byteLength(JSON.stringify(settings)) > BOARD_LIMITS.settingsBytes)
    throw new ValidationError({ settings: [`At most ${BOARD_LIMITS.settingsBytes} bytes as JSON.`] });
}
