/**
 * SQL: whether the row of `users` under this alias belongs to its organisation for sure. Anybody may register with an address of
 * an organisation's domain: until it is confirmed, it proves nothing. One's personal organisation is one's own.
 */
export function confirmedMember(alias: string): string {
  return `(${alias}.email_verified OR EXISTS (SELECT FROM organizations own WHERE own.id = ${alias}.organization_id AND own.personal))`;
}
