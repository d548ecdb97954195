/** A column whose values a rotation of the master key wraps anew. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key, in the order in which it names the row for `SealedPlace`. */
  key: readonly string[];
}

/** Every sealed column of the database; a test compares the list with the schema's columns named `*_sealed`. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'outgoing_messages', column: 'params_sealed', key: ['id'] },
  { table: 'passkeys', column: 'rek_wrapped_sealed', key: ['id'] },
  { table: 'organization_sso', column: 'client_secret_sealed', key: ['organization_id'] },
  { table: 'sso_flows', column: 'checks_sealed', key: ['id'] },
  { table: 'sso_identities', column: 'rek_wrapped_sealed', key: ['id'] },
  { table: 'user_metadata', column: 'data_sealed', key: ['id'] },
];
