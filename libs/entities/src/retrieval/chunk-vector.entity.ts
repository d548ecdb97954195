import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Chunk } from './chunk.entity.js';

/** The signs of a vector's components: a scan over these is the first, coarse step of vector search. */
@Entity('chunk_sign_bits')
@Index('chunk_sign_bits_index_id', ['indexId'])
@Index('chunk_sign_bits_owner_id', ['ownerId'])
export class ChunkSignBits {
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'chunk_sign_bits_pkey' })
  @ForeignKey(() => Chunk, 'id', { name: 'chunk_sign_bits_chunk_id_fkey', onDelete: 'CASCADE' })
  chunkId: string;

  @Column('bigint')
  indexId: string;

  /** Of the generation. */
  @Column('int')
  ownerId: number;

  /** As long as the encoder's vectors. */
  @Column('bit varying')
  bits: string;

  /** Which components are large, whatever their sign; null of what a release before this indexed meanwhile. */
  @Column('bit varying', { nullable: true })
  magnitudes: string | null;
}

/** The vector itself: 32-bit floats, little endian, unit length. */
@Entity('chunk_vectors')
export class ChunkVector {
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'chunk_vectors_pkey' })
  @ForeignKey(() => Chunk, 'id', { name: 'chunk_vectors_chunk_id_fkey', onDelete: 'CASCADE' })
  chunkId: string;

  @Column('bytea')
  vector: Buffer;
}
