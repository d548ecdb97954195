import { countStorage } from '../../functions/count-storage.js';

/** What a table stores of its owners, kept as a sum in the transaction that changes it. */
export const storedBytes = (table: string, part: 'media' | 'workflow'): string[] => [
  countStorage,
  `CREATE TRIGGER ${table}_stored_more AFTER INSERT ON ${table} REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_storage('${part}')`,
  `CREATE TRIGGER ${table}_stored_less AFTER DELETE ON ${table} REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_storage('${part}')`,
  `CREATE TRIGGER ${table}_stored_anew AFTER UPDATE OF size_bytes, owner_id ON ${table}
    FOR EACH ROW WHEN ((OLD.size_bytes, OLD.owner_id) IS DISTINCT FROM (NEW.size_bytes, NEW.owner_id))
    EXECUTE FUNCTION count_storage('${part}')`,
];
