export const TILE_KINDS = ['chart', 'artifact', 'output', 'text'] as const;
export type TileKind = (typeof TILE_KINDS)[number];

export const COLLABORATOR_ROLES = ['editor', 'viewer'] as const;
export type BoardCollaboratorRole = (typeof COLLABORATOR_ROLES)[number];
export type BoardRole = 'owner' | BoardCollaboratorRole;

/** docs/contract/boards.md#limits */
export const BOARD_LIMITS = {
  /** Of one owner. */
  boards: 500,
  tiles: 100,
  collaborators: 200,
  nameCharacters: 200,
  descriptionCharacters: 2000,
  titleCharacters: 200,
  textCharacters: 20_000,
  /** UTF-8 of JSON. */
  settingsBytes: 8192,
  /** Of the grid: the highest `x` and `y`, and the largest `w` and `h`. */
  x: 1000,
  y: 100_000,
  size: 1000,
  /** Seconds. */
  refreshAtLeast: 60,
  refreshAtMost: 30 * 86_400,
} as const;

/** Where a tile stands. */
export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface PlacedTile extends Place {
  id: number;
}

export interface BoardRecord {
  id: number;
  name: string;
  description: string;
  revision: number;
  tileCount: number;
  role: BoardRole;
  owner: { id: number; username: string };
  createdAt: Date;
  updatedAt: Date;
}

/** A tile with what it shows. */
export interface TileRecord extends PlacedTile {
  boardId: number;
  kind: TileKind;
  mgid: string | null;
  artifactId: string | null;
  outputId: string | null;
  text: string;
  /** Of its own. */
  title: string | null;
  /** What stands above it: its own title, or that of what it shows. */
  name: string | null;
  settings: Record<string, unknown>;
  refreshSeconds: number | null;
  refreshedAt: Date | null;
  /** When it is refreshed next; null while nobody looks at the board. */
  refreshesAt: Date | null;
  /** Why the last refresh went wrong. */
  lastError: string;
  /** What it shows is gone, or may not be seen here any more. */
  broken: boolean;
  addedBy: { id: number; username: string } | null;
  createdAt: Date;
  updatedAt: Date;
}

/** SQL: the role of a viewer on the row `board` of boards. @param viewer SQL of their id */
export function boardRole(board: string, viewer: string): string {
  return (
    `(CASE WHEN ${board}.owner_id = ${viewer} THEN 'owner' ELSE (SELECT part.role FROM board_collaborators part ` +
    `WHERE part.board_id = ${board}.id AND part.user_id = ${viewer}) END)`
  );
}

/** SQL: what a `BoardRecord` is made of; `$1` is the viewer. */
export const BOARD_COLUMNS = `b.id, b.name, b.description, b.revision,
  (SELECT count(*)::int FROM board_tiles t WHERE t.board_id = b.id) AS "tileCount", ${boardRole('b', '$1')} AS role,
  jsonb_build_object('id', o.id, 'username', o.username) AS owner, b.created_at AS "createdAt", b.updated_at AS "updatedAt"`;
export const BOARD_SOURCES = 'boards b JOIN users o ON o.id = b.owner_id';
