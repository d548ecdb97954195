import { STATUS_TEXTS, type AccessRequestRecord, type DocumentRecord, type DocumentState } from '@app/documents';
import { ChoiceField, DateTimeField, IntegerField, NestedField, StringField } from '../../http/fields.js';
import { DocumentResponse, toDocumentResponse } from '../documents/document.dto.js';

export class AccessRequestsQuery {
  @StringField({
    optional: true,
    allowBlank: true,
    description: 'Given, with any value: the requests that the caller made, instead of those for their documents.',
  })
  my?: string;
}

export class CreateAccessRequest {
  @StringField({ maxLength: 4096, description: 'The media path of the document.' })
  path: string;
}

/** In the body or in the query; exactly one of them is needed. */
export class CancelAccessRequest {
  @IntegerField({ optional: true, min: 1 })
  id?: number;

  @StringField({ optional: true, maxLength: 4096, description: 'The media path that was asked for.' })
  path?: string;
}

export class DecideAccessRequest {
  @IntegerField({ min: 1 })
  id: number;
}

export class DenyAccessRequest extends DecideAccessRequest {
  @StringField({ optional: true, allowBlank: true, maxLength: 1000, description: 'For who asked, by mail too.' })
  reason?: string;
}

export class AccessRequestUser {
  @IntegerField()
  id: number;

  @StringField()
  first_name: string;

  @StringField()
  last_name: string;

  @StringField()
  username: string;

  @StringField()
  email: string;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  phone: number | null;
}

/** docs/contract/documents.md#access-requests. */
export class AccessRequestResponse {
  @IntegerField()
  id: number;

  @NestedField(() => DocumentResponse)
  document: DocumentResponse;

  @NestedField(() => AccessRequestUser)
  user: AccessRequestUser;

  @ChoiceField(['pending', 'approved', 'denied', 'revoked'])
  status: string;

  @StringField({ description: 'Why it was denied; empty for no reason given.' })
  reason: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

/** As the viewer, who is one of its two sides, is told of it. */
export function toAccessRequestResponse(request: AccessRequestRecord, viewerId: number): AccessRequestResponse {
  const { id, document, user, isReader, status, reason, createdAt, updatedAt } = request;
  const shown = toDocumentResponse(document, viewerId, null);
  const mayRead = document.ownerId === viewerId || isReader;
  return {
    id,
    document: mayRead ? shown : { ...shown, ...untoldOf(document) },
    user: {
      id: user.id,
      first_name: user.firstName,
      last_name: user.lastName,
      username: user.username,
      email: user.email,
      phone: user.phone === null ? null : Number(user.phone),
    },
    status,
    reason,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** What says something of the content, or of where it comes from, for somebody who has only asked for it. */
const untoldOf = ({ processingState }: DocumentRecord) =>
  ({
    page_number: 0,
    stage: '',
    percent: 0,
    size_bytes: 0,
    labels: 0,
    doc_class: '',
    // The worker's own words tell of pages.
    status: STATUS_TEXTS[processingState as DocumentState],
    last_error: '',
    external_drive_item_id: null,
  }) satisfies Partial<DocumentResponse>;

export class AccessRequestedResponse {
  @StringField()
  detail: string;

  @ChoiceField(['request_created'])
  code: 'request_created';

  @NestedField(() => AccessRequestResponse)
  request: AccessRequestResponse;
}

export class AccessRequestCancelledResponse {
  @StringField()
  detail: string;

  @ChoiceField(['request_cancelled'])
  code: 'request_cancelled';
}

export class AccessDecidedResponse {
  @StringField()
  detail: string;

  @ChoiceField(['request_approved', 'request_denied', 'access_revoked'])
  code: 'request_approved' | 'request_denied' | 'access_revoked';

  @NestedField(() => AccessRequestResponse)
  request: AccessRequestResponse;
}
