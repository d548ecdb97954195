export const ORGANIZATION_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

const RANKS: Readonly<Record<OrganizationRole, number>> = { owner: 3, admin: 2, member: 1, viewer: 0 };

/** SQL: what an account is in its organisation. In a personal one, and without any, everybody is the owner. */
export function organizationRole(user: string, organization: string): string {
  return `CASE WHEN ${organization}.personal IS NOT FALSE THEN 'owner' ELSE ${user}.organization_role END`;
}

/** The roles that somebody may give, and of whose holders they decide. */
export function rolesUnder(role: OrganizationRole): readonly OrganizationRole[] {
  if (role === 'owner') return ORGANIZATION_ROLES;
  return role === 'admin' ? ['member', 'viewer'] : [];
}

export function isAtMost(role: OrganizationRole, other: OrganizationRole): boolean {
  return RANKS[role] <= RANKS[other];
}

export function mayManage(role: OrganizationRole): boolean {
  return role === 'owner' || role === 'admin';
}
