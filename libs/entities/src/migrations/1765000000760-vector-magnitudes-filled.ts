import type { MigrationInterface, QueryRunner } from 'typeorm';

const BATCH = 2000;
/** Of unit length, in units of what is usual: as libs/retrieval has it (sign-bits). */
const LARGE = 0.98;

/**
 * Fills what the migration before added, some thousands of vectors a second, while searches go on. Batches are kept one by
 * one, and one that was interrupted goes on where it was.
 */
export class VectorMagnitudesFilled1765000000760 implements MigrationInterface {
  name = 'VectorMagnitudesFilled1765000000760';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (let last = '0'; ;) {
      const rows = (await runner.query(
        `SELECT v.chunk_id AS id, v.vector
         FROM chunk_vectors v JOIN chunk_sign_bits b USING (chunk_id)
         WHERE v.chunk_id > $1 AND b.magnitudes IS NULL ORDER BY v.chunk_id LIMIT ${BATCH}`,
        [last],
      )) as { id: string; vector: Uint8Array }[];
      if (rows.length === 0) break;
      last = rows.at(-1)!.id;
      await runner.query(
        `UPDATE chunk_sign_bits b SET magnitudes = row.magnitudes, owner_id = i.owner_id
         FROM unnest($1::bigint[], $2::varbit[]) AS row (id, magnitudes), document_indexes i
         WHERE b.chunk_id = row.id AND i.id = b.index_id`,
        [rows.map(({ id }) => id), rows.map(({ vector }) => magnitudes(vector))],
      );
    }
    await runner.query(
      'UPDATE chunk_sign_bits b SET owner_id = i.owner_id FROM document_indexes i WHERE b.owner_id IS NULL AND i.id = b.index_id',
    );
    await runner.query('ALTER TABLE chunk_sign_bits ALTER owner_id SET NOT NULL');
    await runner.query('CREATE INDEX IF NOT EXISTS chunk_sign_bits_owner_id ON chunk_sign_bits (owner_id)');
    await runner.query('ANALYZE chunk_sign_bits');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX chunk_sign_bits_owner_id');
    await runner.query('ALTER TABLE chunk_sign_bits ALTER owner_id DROP NOT NULL');
  }
}

/** The literal of a bit string: 1 where a 32-bit float is large. */
function magnitudes(bytes: Uint8Array): string {
  const view = new Float32Array(new Uint8Array(bytes).buffer);
  const least = LARGE / Math.sqrt(view.length);
  const digits = Buffer.allocUnsafe(view.length);
  for (let at = 0; at < view.length; at++) digits[at] = Math.abs(view[at]!) >= least ? 49 : 48;
  return digits.toString('latin1');
}
