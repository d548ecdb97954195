import type { DocumentPeople } from '@app/documents';
import { IntegerField, kinds, ListField, NestedField, StringField } from '../../http/fields.js';

/** Addresses that one call may name. */
export const MAX_EMAILS = 100;

export class SharingRequest {
  @ListField(kinds.email(), { minItems: 1, maxItems: MAX_EMAILS })
  emails: string[];
}

export class DocumentPersonResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;

  @StringField()
  email: string;
}

export class DocumentPeopleResponse {
  @NestedField(() => DocumentPersonResponse)
  owner: DocumentPersonResponse;

  @ListField(() => DocumentPersonResponse, {
    description: 'Whom the owner shows the document to; a reader is told of nobody else.',
  })
  users: DocumentPersonResponse[];
}

export function toPeopleResponse({ owner, users }: DocumentPeople): DocumentPeopleResponse {
  return { owner, users };
}

export class SharedResponse {
  @ListField(kinds.string(), { description: 'Who can read the document now, those who could before included.' })
  added: string[];

  @ListField(kinds.string(), { description: 'Nobody has confirmed these addresses; it waits for whoever does.' })
  invited: string[];

  @ListField(kinds.string(), { description: 'No active account has the address.' })
  not_found: string[];

  @StringField()
  detail: string;
}

export class UnsharedResponse {
  @ListField(kinds.string())
  removed: string[];

  @ListField(kinds.string(), { description: 'The document was not shared with this address.' })
  not_found: string[];

  @StringField()
  detail: string;
}
