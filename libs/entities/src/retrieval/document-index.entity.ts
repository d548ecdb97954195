import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Document } from '../documents/document.entity.js';

/**
 * The chunks that one try of indexing made of a document. It answers questions while `documents.index_generation`
 * names its generation; others are tries under way, or left by dead workers.
 */
@Entity('document_indexes')
@Index('document_indexes_document_uid_generation', ['documentUid', 'generation'], { unique: true })
@Index('document_indexes_owner', { synchronize: false })
@Index('document_indexes_pipeline_version', ['pipelineVersion', 'id'])
export class DocumentIndex {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'document_indexes_pkey',
  })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Document, 'uid', { name: 'document_indexes_document_uid_fkey', onDelete: 'CASCADE' })
  documentUid: string;

  /** Whose terms the chunks carry. */
  @Column('int')
  ownerId: number;

  @Column('int')
  generation: number;

  @Column('int')
  chunkCount: number;

  /** Index terms of all chunks together: with `chunkCount` the mean length that BM25 needs. */
  @Column('int')
  termCount: number;

  /** Which encoder made the vectors; null without vectors. */
  @Column('text', { nullable: true })
  embeddingModel: string | null;

  /** By which its terms were stemmed; none: English, by a release before languages were told apart. */
  @Column('text', { array: true, default: [] })
  languages: string[];

  /** `INDEX_PIPELINE_VERSION` of the indexer that made it; null while it is being written. */
  @Column('int', { nullable: true })
  pipelineVersion: number | null;

  /** Pages that were read. */
  @Column('int', { nullable: true })
  pageCount: number | null;

  /** Of the bytes that were read: the document may have others by now. */
  @Column('text', { nullable: true })
  contentSha256: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
