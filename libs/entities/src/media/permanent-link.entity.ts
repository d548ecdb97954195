import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Artifact } from '../artifacts/artifact.entity.js';

/** A public address of one file, or of an artifact (docs/contract/artifacts.md#permanent-links). */
@Entity('permanent_links')
@Index('permanent_links_token_hash_key', ['tokenHash'], { unique: true })
@Index('permanent_links_owner_media_path_key', ['ownerId', 'mediaPath'], { unique: true })
@Index('permanent_links_artifact_uid', ['artifactUid'], { where: 'artifact_uid IS NOT NULL' })
export class PermanentLink {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'permanent_links_pkey' })
  uid: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'permanent_links_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  /** Percent-encoded, beginning with `/media/`; that of the public page for an artifact. */
  @Column('text')
  mediaPath: string;

  @Column('text')
  name: string;

  /** The artifact that it shows, with which it goes. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Artifact, { name: 'permanent_links_artifact_uid_fkey', onDelete: 'CASCADE' })
  artifactUid: string | null;

  /** By it a request finds the row. */
  @Column('bytea')
  tokenHash: Buffer;

  /** By it the owner's list shows the address again. */
  @Column('bytea')
  tokenSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  lastAccessedAt: Date | null;

  @Column('int', { default: 0 })
  accessCount: number;
}
