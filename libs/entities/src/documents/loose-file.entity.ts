import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A key of the file storage that no row owns: not yet, because an upload is under way, or no more, because its
 * document was purged. Written before the file, removed in the transaction that makes the row, so that a crash in
 * between leaves a file which a sweeper finds without listing the storage.
 */
@Entity('loose_files')
@Index('loose_files_removable_at', ['removableAt'])
export class LooseFile {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'loose_files_pkey' })
  storageKey: string;

  /** From then on the file may be removed. */
  @Column('timestamptz')
  removableAt: Date;
}
