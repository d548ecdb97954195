import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Document } from '../documents/document.entity.js';
import { Workflow } from '../workflows/workflow.entity.js';

/** Something that was shared with an address which nobody has confirmed yet. It takes effect for the one who does. */
@Entity('share_invitations')
@Check('share_invitations_kind_check', `kind IN ('document', 'collaborator', 'copy', 'app', 'transfer')`)
@Check('share_invitations_target_check', '(document_uid IS NULL) <> (workflow_id IS NULL)')
@Check('share_invitations_role_check', `(kind = 'collaborator') = (role IS NOT NULL) AND role IN ('editor', 'viewer')`)
@Index('share_invitations_document_key', ['documentUid', 'address'], { unique: true })
@Index('share_invitations_workflow_key', ['workflowId', 'kind', 'address'], { unique: true })
@Index('share_invitations_inviter_id', ['inviterId'])
@Index('share_invitations_address', ['address'])
export class ShareInvitation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'share_invitations_pkey' })
  id: string;

  @Column('text')
  kind: string;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => Document, 'uid', { name: 'share_invitations_document_uid_fkey', onDelete: 'CASCADE' })
  documentUid: string | null;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => Workflow, { name: 'share_invitations_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string | null;

  /** In whose name it is shared; they have to own it still. */
  @Column('int')
  @ForeignKey(() => User, { name: 'share_invitations_inviter_id_fkey', onDelete: 'CASCADE' })
  inviterId: number;

  /** In lower case. */
  @Column('text')
  address: string;

  /** Of a collaborator. */
  @Column('text', { nullable: true })
  role: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
