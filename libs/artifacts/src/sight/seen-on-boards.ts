import { accountIsActive } from '@app/access';

/** SQL: whether somebody is the owner or a collaborator of the row `board` of boards. @param user SQL of their id */
export function takesPart(board: string, user: string): string {
  return (
    `(${board}.owner_id = ${user} OR EXISTS (SELECT FROM board_collaborators part ` +
    `WHERE part.board_id = ${board}.id AND part.user_id = ${user}))`
  );
}

/**
 * SQL: whether the row `board` shows what belongs to somebody: as long as they are active, and take part in the board
 * themselves, so that whoever leaves takes along what is theirs (docs/contract/boards.md#what-a-tile-shows).
 * @param owner SQL of the owner's id
 */
export function showsThingsOf(board: string, owner: string): string {
  return `(${takesPart(board, owner)} AND ${accountIsActive(owner)})`;
}

/** SQL: whether somebody sees the row `chart` of charts on any board, at this moment. @param viewer SQL of their id */
export function chartIsSeen(chart: string, viewer: string): string {
  return isSeen(`tile.mgid = ${chart}.mgid`, `${chart}.owner_id`, viewer);
}

/** SQL: the same of a row of artifacts. */
export function artifactIsSeen(artifact: string, viewer: string): string {
  return isSeen(`tile.artifact_id = ${artifact}.id`, `${artifact}.owner_id`, viewer);
}

function isSeen(shows: string, owner: string, viewer: string): string {
  return (
    `EXISTS (SELECT FROM board_tiles tile JOIN boards board ON board.id = tile.board_id WHERE ${shows} ` +
    `AND ${takesPart('board', viewer)} AND ${showsThingsOf('board', owner)})`
  );
}
