import { InvalidRequestError, ValidationError } from '@app/common';
import { ChatRequest } from '../chats/chat-request.dto.js';
import { kinds, ListField, UuidField } from '../http/fields.js';

export const MOST_FILES = 5;

/** What both chats with tables take (docs/contract/tables.md#questions). */
export class TabularChatRequest extends ChatRequest {
  @UuidField({ optional: true, nullable: true, description: 'One file; or `uids`.' })
  uid?: string | null;

  @ListField(kinds.uuid(), { optional: true, nullable: true, description: '1 to 5 files.' })
  uids?: string[] | null;
}

/** @throws ValidationError without any, InvalidRequestError `too_many_files` */
export function fileUidsOf({ uid, uids }: TabularChatRequest): string[] {
  const all = [...new Set([...(uid ? [uid] : []), ...(uids ?? [])])];
  if (all.length === 0) throw new ValidationError({ uids: ['This field is required.'] });
  if (all.length > MOST_FILES)
    throw new InvalidRequestError(`At most ${MOST_FILES} files can be asked at once.`, { code: 'too_many_files' });
  return all;
}
