import { GROUP_SCHEMA, type ScimGroupFields, type ScimGroupRow, unknownMember } from '@app/auth';
import { InvalidRequestError, isDictionary, parseText } from '@app/common';
import type { PatchRules } from '../protocol/patch.js';
import { metaOf, readAttributes, readValue, type Resource, subOf } from '../protocol/resources.js';

const MOST_MEMBERS = 50_000;

export const GROUP_PATCH: PatchRules = {
  schema: GROUP_SCHEMA,
  writable: { displayName: 'one', externalId: 'one', members: 'references' },
  readOnly: ['id', 'meta', 'schemas'],
};

export function toGroupResource(row: ScimGroupRow, base: string): Resource {
  const members = row.members?.map((member) => ({
    ...member,
    type: 'User',
    $ref: `${base}/Users/${member.value}`,
  }));
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members ? { members } : {}),
    meta: metaOf('Group', row.id, row.created_at, row.modified_at, base),
  };
}

export function toPatchable(row: ScimGroupRow): Resource {
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    displayName: row.display_name,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    members: row.members?.map(({ value }) => ({ value })) ?? [],
  };
}

const refused = (detail: string) => new InvalidRequestError(detail, { code: 'invalid_value' });

/**
 * Reads a whole group; what is missing is cleared.
 * @throws InvalidRequestError (`invalid_value`, `invalid_syntax`)
 */
export function readGroup(body: unknown): ScimGroupFields {
  const group = readAttributes(body, GROUP_SCHEMA, Object.keys(GROUP_PATCH.writable));
  const displayName = readValue<string>('displayName', group['displayName'], parseText({ maxLength: 300 }));
  if (displayName === null) throw refused('displayName: This field is required.');
  return {
    displayName,
    externalId: readValue<string>('externalId', group['externalId'], parseText({ maxLength: 300, trim: false })),
    memberIds: readMembers(group['members'] ?? []),
  };
}

function readMembers(list: unknown): number[] {
  if (!Array.isArray(list)) throw refused('members: It must be a list.');
  if (list.length > MOST_MEMBERS) throw refused(`members: At most ${MOST_MEMBERS}.`);
  const ids = list.map((item: unknown) => {
    const type = subOf(item, 'type');
    if (!isDictionary(item) || (typeof type === 'string' && type.toLowerCase() !== 'user'))
      throw refused('members: Members are users, by their id as "value".');
    const given = subOf(item, 'value');
    const value = typeof given === 'string' ? given : JSON.stringify(given ?? null);
    if (!/^\d{1,10}$/.test(value) || Number(value) > 2_147_483_647) throw unknownMember(value);
    return Number(value);
  });
  return [...new Set(ids)];
}
