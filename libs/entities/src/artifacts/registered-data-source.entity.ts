import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/** A connection to a database of somebody's own (docs/contract/data-sources.md). */
@Entity('data_sources')
@Check('data_sources_type_check', `type IN ('postgres', 'mysql')`)
@Check('data_sources_status_check', `status IN ('untested', 'ok', 'error')`)
@Index('data_sources_owner_id', ['ownerId', 'id'])
export class RegisteredDataSource {
  @PrimaryGeneratedColumn('identity', {
    primaryKeyConstraintName: 'data_sources_pkey',
    generatedIdentity: 'BY DEFAULT',
  })
  id: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'data_sources_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text')
  name: string;

  @Column('text')
  type: 'postgres' | 'mysql';

  @Column('text')
  host: string;

  @Column('int')
  port: number;

  @Column('text')
  database: string;

  @Column('text')
  username: string;

  @Column('bytea', { nullable: true })
  secretSealed: Buffer | null;

  @Column('text')
  sslMode: string;

  /** Those that are shown; empty: all that the role sees. */
  @Column('jsonb', { default: () => `'[]'` })
  schemas: string[];

  /** Rises with each change of the connection: results of before are not given any more. */
  @Column('int', { default: 0 })
  revision: number;

  @Column('text', { default: 'untested' })
  status: 'untested' | 'ok' | 'error';

  @Column('timestamptz', { nullable: true })
  lastOkAt: Date | null;

  @Column('text', { default: '' })
  lastError: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
