/**
 * SQL: whether the invitation `i` still holds: its time is not over, and whoever made it, `by`, may still give the role in
 * that organisation. Who was removed or lost the rank has invited nobody.
 */
export const INVITATION_GOOD = `i.expires_at > now() AND by.is_active AND by.organization_id = i.organization_id
  AND (by.organization_role = 'owner' OR by.organization_role = 'admin' AND i.role IN ('member', 'viewer'))`;
