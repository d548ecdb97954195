import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Document } from './document.entity.js';

/** Somebody asks the owner of a document to be shown it (docs/contract/documents.md#access-requests). */
@Entity('access_requests')
@Check('access_requests_status_check', `status IN ('pending', 'approved', 'denied', 'revoked')`)
@Index('access_requests_open_key', ['documentUid', 'userId'], {
  unique: true,
  where: `status IN ('pending', 'approved')`,
})
@Index('access_requests_document_uid', ['documentUid'])
@Index('access_requests_user_id', ['userId'])
export class AccessRequest {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'access_requests_pkey' })
  id: number;

  @Column('uuid')
  @ForeignKey(() => Document, 'uid', { name: 'access_requests_document_uid_fkey', onDelete: 'CASCADE' })
  documentUid: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'access_requests_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text', { default: 'pending' })
  status: string;

  /** Why it was denied, in the owner's words. */
  @Column('text', { default: '' })
  reason: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Of the last change of its status. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
