import { Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { DocumentIndex } from './document-index.entity.js';

/** What ranking reads of a passage. Its text lies in `chunk_contents`, so that many of these fit on a page. */
@Entity('chunks')
@Index('chunks_index_id_ordinal', ['indexId', 'ordinal'], { unique: true })
@Index('chunks_terms', { synchronize: false })
@Index('chunks_terms_sample', { synchronize: false })
export class Chunk {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'chunks_pkey',
  })
  id: string;

  @Column('bigint')
  @ForeignKey(() => DocumentIndex, 'id', { name: 'chunks_index_id_fkey', onDelete: 'CASCADE' })
  indexId: string;

  /** From 0, in reading order. */
  @Column('int')
  ordinal: number;

  /** Index terms in it, repetitions counted. */
  @Column('int')
  termCount: number;

  /** Terms of the owner's own dictionary, weighted by how often they occur (libs/retrieval, chunk-index). */
  @Column('tsvector')
  terms: string;
}

/** What a reader is shown of a passage. */
@Entity('chunk_contents')
export class ChunkContent {
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'chunk_contents_pkey' })
  @ForeignKey(() => Chunk, 'id', { name: 'chunk_contents_chunk_id_fkey', onDelete: 'CASCADE' })
  chunkId: string;

  /** 1-based. */
  @Column('int')
  page: number;

  /** Offsets (UTF-16 code units) in the text of the page. */
  @Column('int')
  startOffset: number;

  @Column('int')
  endOffset: number;

  @Column('text')
  text: string;

  /**
   * Its lines, `[{page, rect: [x0, y0, x1, y1], start, end}]`: fractions of the page from its top-left corner, and
   * offsets in the text of the page, which passages of before lack.
   */
  @Column('jsonb', { default: [] })
  spans: { page: number; rect: [number, number, number, number]; start?: number; end?: number }[];

  /** Title and date of the document, headings, header of the table; '' for passages of before. */
  @Column('text', { default: '' })
  context: string;
}
