import type { AddedCollaborators, SharingOutcome, WorkflowTransfer } from '@app/workflows';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  EmailField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import { ActingPersonResponse } from '../node-row.dto.js';
import { PersonResponse } from '../workflow-record.dto.js';

const EMAILS = { minItems: 1, maxItems: 50 } as const;
const ROLES = ['editor', 'viewer'] as const;

class EmailsRequest {
  @ListField(kinds.email(), EMAILS)
  emails: string[];
}

export class AddCollaboratorsRequest extends EmailsRequest {
  @ChoiceField(ROLES)
  role: 'editor' | 'viewer';
}

export class ChangeCollaboratorRequest {
  @ChoiceField(ROLES)
  role: 'editor' | 'viewer';
}

export class AddedCollaboratorsResponse {
  @ListField(kinds.string())
  added: string[];

  @ListField(kinds.string(), { description: 'Were collaborators already, and have the role now.' })
  updated: string[];

  @ListField(kinds.string(), { description: 'Nobody has confirmed these addresses; it waits for whoever does.' })
  invited: string[];

  @ListField(kinds.string())
  not_found: string[];

  @StringField()
  detail: string;
}

export function toAddedCollaboratorsResponse(outcome: AddedCollaborators): AddedCollaboratorsResponse {
  const { added, updated, invited, notFound } = outcome;
  const detail = `${added.length} added, ${updated.length} updated, ${notFound.length} not found.`;
  return { added, updated, invited, not_found: notFound, detail };
}

export class ShareWorkflowRequest extends EmailsRequest {
  @BooleanField({
    optional: true,
    default: false,
    description: 'Whether the receivers may only run it, from Apps. Else they get a copy of their own.',
  })
  only_view_in_apps: boolean;
}

export class SharedWorkflowResponse {
  @ListField(kinds.string())
  added: string[];

  @ListField(kinds.string(), { description: 'Nobody has confirmed these addresses; it waits for whoever does.' })
  invited: string[];

  @ListField(kinds.string())
  not_found: string[];

  @StringField()
  detail: string;
}

export function toSharedWorkflowResponse({ done, invited, notFound }: SharingOutcome): SharedWorkflowResponse {
  const detail = `Shared with ${done.length}, ${notFound.length} not found.`;
  return { added: done, invited, not_found: notFound, detail };
}

export class UnshareWorkflowRequest extends EmailsRequest {}

export class UnsharedWorkflowResponse {
  @ListField(kinds.string())
  removed: string[];

  @ListField(kinds.string(), { description: 'Unknown addresses, and people with whom nothing was shared.' })
  not_found: string[];

  @StringField()
  detail: string;
}

export function toUnsharedWorkflowResponse({ done, notFound }: SharingOutcome): UnsharedWorkflowResponse {
  const detail = `Taken back from ${done.length}, ${notFound.length} not found.`;
  return { removed: done, not_found: notFound, detail };
}

export class OfferTransferRequest {
  @EmailField()
  email: string;
}

export class AcceptTransferRequest {
  @BooleanField({
    optional: true,
    default: false,
    description: 'Whether collaborators stay, the former owner becomes an editor, and apps shared off it go on.',
  })
  keep_people: boolean;

  @ChoiceField(['all', 'none'], {
    optional: true,
    default: 'none',
    description:
      'Whether every node acts with your rights from now on. Otherwise each goes on with those of who last changed it, and fails when that person has no access any more, until you adopt it.',
  })
  adopt: 'all' | 'none';

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'The `content_revision` of the offer that you have read: only nodes as they are there are adopted.',
  })
  content_revision?: number | null;
}

class OfferedNodeResponse {
  @StringField()
  node_id: string;

  @StringField()
  kind: string;

  @StringField({ nullable: true })
  name: string | null;

  @NestedField(() => ActingPersonResponse, { nullable: true, description: 'With whose rights it acts.' })
  acts_as: ActingPersonResponse | null;
}

class TransferredWorkflowResponse {
  @UuidField()
  id: string;

  @StringField()
  name: string;
}

export class TransferResponse {
  @UuidField()
  id: string;

  @NestedField(() => TransferredWorkflowResponse)
  workflow: TransferredWorkflowResponse;

  @NestedField(() => PersonResponse)
  from: PersonResponse;

  @NestedField(() => PersonResponse)
  to: PersonResponse;

  @IntegerField({ description: 'How many people work on it.' })
  collaborators: number;

  @IntegerField({ description: 'How many people have it as an app.' })
  apps: number;

  @IntegerField()
  content_revision: number;

  @ListField(() => OfferedNodeResponse)
  nodes: OfferedNodeResponse[];

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  expires_at: Date;
}

export function toTransferResponse(transfer: WorkflowTransfer): TransferResponse {
  const { id, workflow, from, to, collaborators, apps, createdAt, expiresAt } = transfer;
  const nodes = transfer.nodes.map(({ nodeId, kind, name, actsAs }) => {
    return { node_id: nodeId, kind, name, acts_as: actsAs };
  });
  return {
    id,
    workflow,
    from,
    to,
    collaborators,
    apps,
    content_revision: transfer.contentRevision,
    nodes,
    created_at: createdAt,
    expires_at: expiresAt,
  };
}

export class OfferedTransferResponse {
  @StringField()
  detail: string;

  @NestedField(() => TransferResponse, { nullable: true, description: 'Null while the address is only invited.' })
  transfer: TransferResponse | null;

  @ListField(kinds.string(), { description: 'Nobody has confirmed these addresses; it waits for whoever does.' })
  invited: string[];
}

export class AnsweredTransferResponse {
  @ChoiceField(['accepted', 'declined'])
  status: 'accepted' | 'declined';

  @UuidField({ nullable: true, description: 'The workflow that is yours now; null when declined.' })
  workflow_id: string | null;
}
