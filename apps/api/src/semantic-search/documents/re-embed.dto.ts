import { InvalidRequestError } from '@app/common';
import { findableFolder, type ReindexScope } from '@app/documents';
import {
  BooleanField,
  ChoiceField,
  IntegerField,
  kinds,
  ListField,
  StringField,
  UuidField,
} from '../../http/fields.js';

/** Exactly one of the three. */
export class ReEmbedRequest {
  @ListField(kinds.uuid(), { optional: true, minItems: 1, maxItems: 500 })
  uids?: string[];

  @StringField({ optional: true, allowBlank: true, maxLength: 1000, description: 'This folder and below.' })
  folder?: string;

  @BooleanField({ optional: true, description: 'True: everything that one owns.' })
  all?: boolean;
}

export class SkippedResponse {
  @UuidField()
  uid: string;

  @ChoiceField(['not_found', 'in_progress', 'untrained'])
  reason: string;
}

export class ReEmbedResponse {
  @ChoiceField(['queued'])
  status: 'queued';

  @IntegerField()
  count: number;

  @ListField(() => SkippedResponse)
  skipped: SkippedResponse[];
}

/** @throws InvalidRequestError `scope_required`, ValidationError for the folder */
export function toReindexScope({ uids, folder, all }: ReEmbedRequest): ReindexScope {
  const given = [uids, folder, all || undefined].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new InvalidRequestError('Name exactly one of uids, folder and all.', { code: 'scope_required' });
  if (uids) return { uids };
  return folder === undefined ? { all: true } : { folder: findableFolder(folder) };
}
