import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../principal/principal.js';
import { ROLES } from './account-profiles.js';

/** In wire names (docs/contract/accounts.md#profile). */
export interface DirectoryEntry {
  id: number;
  username: string;
  display_name: string;
  email: string;
  roles: string[];
}

const MOST = 10_000;

/** The active people of an organisation. */
@Injectable()
export class Directory {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Of the viewer's organisation, by display name; none without an organisation. Whoever has not confirmed the address
   * sees only themselves, and is seen by nobody else: the domain of an address proves nothing until then.
   */
  async list({ userId, organizationId }: Principal): Promise<DirectoryEntry[]> {
    if (organizationId === null) return [];
    return this.dataSource.query<DirectoryEntry[]>(
      `SELECT u.id, u.username, coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username) AS display_name,
              u.email, ${ROLES} AS roles
       FROM users u JOIN users viewer ON viewer.id = $1
       WHERE u.organization_id = $2 AND viewer.organization_id = $2 AND u.is_active
         AND (u.id = $1 OR (viewer.email_verified AND u.email_verified))
       ORDER BY lower(coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username)), u.id LIMIT ${MOST}`,
      [userId, organizationId],
    );
  }
}
