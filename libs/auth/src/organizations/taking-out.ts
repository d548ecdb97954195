import type { EntityManager } from 'typeorm';
import type { HeldOrganization } from './hold-organization.js';

/** Somebody who leaves an organisation gets one of their own, and what its directory knew of them is gone. */
export async function moveToPersonal(
  tx: EntityManager,
  { id }: HeldOrganization,
  person: { id: number; username: string },
): Promise<void> {
  await tx.query(
    `DELETE FROM scim_group_members m USING scim_groups g
     WHERE m.group_id = g.id AND m.user_id = $1 AND g.organization_id = $2`,
    [person.id, id],
  );
  await tx.query(
    `WITH own AS (INSERT INTO organizations (name, personal) VALUES ($2, true) RETURNING id)
     UPDATE users SET organization_id = (SELECT id FROM own), organization_role = 'member', scim_external_id = NULL,
                      scim_display_name = NULL, detached_from_id = NULL
     WHERE id = $1`,
    [person.id, `${person.username} (personal)`],
  );
}
