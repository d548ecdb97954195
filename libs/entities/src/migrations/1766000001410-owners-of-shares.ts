import type { MigrationInterface, QueryRunner } from 'typeorm';
import { documentSharesFindOwner } from '../functions/document-shares-find-owner.js';

/** From whom a viewer has shared documents is read from one index, without the shares of each. */
export class OwnersOfShares1766000001410 implements MigrationInterface {
  name = 'OwnersOfShares1766000001410';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE document_shares ADD owner_id integer');
    await runner.query(documentSharesFindOwner);
    await runner.query(`
      CREATE TRIGGER document_shares_find_owner BEFORE INSERT ON document_shares FOR EACH ROW
      EXECUTE FUNCTION document_shares_find_owner()`);
    await runner.query(`
      UPDATE document_shares s SET owner_id = d.owner_id FROM documents d WHERE d.uid = s.document_uid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER document_shares_find_owner ON document_shares');
    await runner.query('DROP FUNCTION document_shares_find_owner');
    await runner.query('ALTER TABLE document_shares DROP owner_id');
  }
}
