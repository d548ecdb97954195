import type { GrantedApproval } from '@app/agents';
import { DateTimeField, IntegerField, StringField } from '../http/fields.js';
import { PageOf } from '../http/pagination.js';

export class ApprovalResponse {
  @IntegerField()
  id: number;

  @StringField({ description: 'What was agreed to.' })
  summary: string;

  @StringField({ nullable: true, description: 'Null: in every conversation.' })
  conversation_id: string | null;

  @DateTimeField()
  created_at: Date;
}

export class ApprovalPage extends PageOf(ApprovalResponse) {}

export function toApprovalResponse({ id, summary, conversationId, createdAt }: GrantedApproval): ApprovalResponse {
  return { id, summary, conversation_id: conversationId, created_at: createdAt };
}
