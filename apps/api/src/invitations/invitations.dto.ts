import { INVITATION_KINDS, type InvitationKind, type SentInvitation } from '@app/access';
import { ChoiceField, DateTimeField, StringField, UuidField } from '../http/fields.js';

export class InvitationResponse {
  @UuidField()
  id: string;

  @ChoiceField(INVITATION_KINDS)
  kind: InvitationKind;

  @UuidField({ description: 'Of the document or the workflow.' })
  target_id: string;

  @StringField({ description: 'Of the document or the workflow.' })
  name: string;

  @StringField()
  email: string;

  @ChoiceField(['editor', 'viewer'], { nullable: true, description: 'Of a collaborator.' })
  role: 'editor' | 'viewer' | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  expires_at: Date;
}

export function toInvitationResponse(invitation: SentInvitation): InvitationResponse {
  const { id, kind, targetId, name, email, role, createdAt, expiresAt } = invitation;
  return { id, kind, target_id: targetId, name, email, role, created_at: createdAt, expires_at: expiresAt };
}
