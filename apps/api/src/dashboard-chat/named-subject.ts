import { boardNotFound, chartNotFound, type ChartSubject } from '@app/artifacts';
import { isUuid, ValidationError } from '@app/common';
import type { DashboardChatRequest } from './dashboard-chat.dto.js';

const LARGEST_ID = 2_147_483_647;
const ONE_OF = 'Name one chart by mgid, charts by mgids, or a board by board_id.';

/** What a call is about. @throws ValidationError; NotFoundError for what cannot be the name of anything */
export function subjectOf({ mgid, mgids, board_id: boardId }: DashboardChatRequest): ChartSubject {
  const given = Object.entries({ mgid, mgids, board_id: boardId }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  if (given.length === 0) throw new ValidationError({ mgid: [ONE_OF] });
  if (given.length > 1) throw new ValidationError(Object.fromEntries(given.map(([name]) => [name, [ONE_OF]])));
  if (typeof boardId === 'number') {
    if (boardId < 1 || boardId > LARGEST_ID) throw boardNotFound();
    return { boardId };
  }
  const named = (mgids ?? [mgid!]).map((one) => one.toLowerCase());
  if (new Set(named).size < named.length) throw new ValidationError({ mgids: ['Each chart is named once.'] });
  if (!named.every(isUuid)) throw chartNotFound();
  return { mgids: named };
}

/** By which the turns of a conversation are about the same, in whatever order charts are named. */
export const subjectKey = (subject: ChartSubject): string =>
  'boardId' in subject ? `board:${subject.boardId}` : `charts:${subject.mgids.toSorted().join(',')}`;
