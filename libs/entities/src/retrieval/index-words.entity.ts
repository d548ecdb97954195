import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { DocumentIndex } from './document-index.entity.js';

/** Some of the distinct words of a generation, folded: read only when nothing has a word of a question. */
@Entity('index_words')
@Index('index_words_words', { synchronize: false })
export class IndexWords {
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'index_words_pkey' })
  @ForeignKey(() => DocumentIndex, 'id', { name: 'index_words_index_id_fkey', onDelete: 'CASCADE' })
  indexId: string;

  /** From 0. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'index_words_pkey' })
  part: number;

  /** Of the generation. */
  @Column('int')
  ownerId: number;

  /** Up to a hundred, in the order of the alphabet, with spaces between. */
  @Column('text')
  words: string;
}
