import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Document } from './document.entity.js';

/** A user who may read a document that somebody else owns. */
@Entity('document_shares')
@Index('document_shares_user_id_owner_id', ['userId', 'ownerId'])
export class DocumentShare {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'document_shares_pkey' })
  @ForeignKey(() => Document, 'uid', { name: 'document_shares_document_uid_fkey', onDelete: 'CASCADE' })
  documentUid: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'document_shares_pkey' })
  @ForeignKey(() => User, { name: 'document_shares_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  /** Whose document it is; a trigger fills it in. */
  @Column('int', { nullable: true })
  ownerId: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
