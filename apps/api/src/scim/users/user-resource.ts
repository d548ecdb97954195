import { type ScimUserFields, type ScimUserRow, USER_SCHEMA } from '@app/auth';
import { cutText, InvalidRequestError, isDictionary, parseBoolean, parseEmail, parseText, Refusal } from '@app/common';
import { USERNAME_RULES } from '../../registration/registration.dto.js';
import type { PatchRules } from '../protocol/patch.js';
import { metaOf, readAttributes, readValue, type Resource, subOf } from '../protocol/resources.js';

export const USER_PATCH: PatchRules = {
  schema: USER_SCHEMA,
  writable: {
    userName: 'one',
    externalId: 'one',
    name: 'one',
    displayName: 'one',
    active: 'one',
    preferredLanguage: 'one',
    emails: 'list',
    phoneNumbers: 'list',
  },
  readOnly: ['id', 'meta', 'schemas', 'groups'],
};

export function toUserResource(row: ScimUserRow, base: string): Resource {
  const formatted = `${row.first_name} ${row.last_name}`.trim();
  const name = { givenName: row.first_name, familyName: row.last_name, formatted };
  return {
    schemas: [USER_SCHEMA],
    id: String(row.id),
    ...(row.scim_external_id === null ? {} : { externalId: row.scim_external_id }),
    userName: row.username,
    name,
    displayName: row.scim_display_name ?? (formatted || row.username),
    emails: [{ value: row.email, type: 'work', primary: true }],
    ...(row.phone === null ? {} : { phoneNumbers: [{ value: `+${row.phone}`, type: 'work', primary: true }] }),
    preferredLanguage: row.language,
    active: row.is_active,
    groups: row.groups.map((group) => ({ ...group, $ref: `${base}/Groups/${group.value}`, type: 'direct' })),
    meta: metaOf('User', String(row.id), row.date_joined, row.modified_at, base),
  };
}

/** The resource to which a PATCH applies: what was derived is left out, so that it is derived anew. */
export function toPatchable(row: ScimUserRow): Resource {
  const kept = new Set(['schemas', 'id', ...Object.keys(USER_PATCH.writable)]);
  const resource = Object.fromEntries(Object.entries(toUserResource(row, '')).filter(([key]) => kept.has(key)));
  const { first_name: givenName, last_name: familyName, scim_display_name: displayName } = row;
  // Which kind of number it is was not kept: another one that is named, or a mobile one, takes its place.
  const phoneNumbers = row.phone === null ? {} : { phoneNumbers: [{ value: `+${row.phone}`, type: 'work' }] };
  return { ...resource, ...phoneNumbers, name: { givenName, familyName }, displayName };
}

const refused = (detail: string) => new InvalidRequestError(detail, { code: 'invalid_value' });
const nameText = parseText({ maxLength: 150, folded: true });

/**
 * Reads a whole user. What is missing is cleared, but for `active`, which stays as it is.
 * @param active of an account that exists, true for a new one
 * @throws InvalidRequestError (`invalid_value`, `invalid_syntax`)
 */
export function readUser(body: unknown, active: boolean): ScimUserFields {
  const user = readAttributes(body, USER_SCHEMA, Object.keys(USER_PATCH.writable));
  const username = readValue<string>('userName', user['userName'], parseText(USERNAME_RULES));
  if (username === null) throw refused('userName: This field is required.');
  const name = user['name'];
  if (name !== undefined && name !== null && !isDictionary(name)) throw refused('name: It must be a JSON object.');
  const names = readNames(name);
  return {
    username,
    ...names,
    email: readEmail(user['emails'], username),
    displayName: readValue<string>('displayName', user['displayName'], parseText({ maxLength: 300, folded: true })),
    phone: readPhone(user['phoneNumbers']),
    language: readLanguage(user['preferredLanguage']),
    active: readValue<boolean>('active', user['active'], parseBoolean) ?? active,
    externalId: readValue<string>('externalId', user['externalId'], parseText({ maxLength: 300, trim: false })),
  };
}

/** Some directories send the formatted name alone. */
function readNames(name: unknown): { firstName: string; lastName: string } {
  const firstName = readValue<string>('name.givenName', subOf(name, 'givenName'), nameText);
  const lastName = readValue<string>('name.familyName', subOf(name, 'familyName'), nameText);
  const formatted = readValue<string>(
    'name.formatted',
    subOf(name, 'formatted'),
    parseText({ maxLength: 300, folded: true }),
  );
  if (firstName !== null || lastName !== null || formatted === null)
    return { firstName: firstName ?? '', lastName: lastName ?? '' };
  const [first = '', ...rest] = formatted.split(/\s+/);
  return { firstName: cutText(first, 150), lastName: cutText(rest.join(' '), 150) };
}

/** What has a value of a list. */
function filled(attribute: string, list: unknown): unknown[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw refused(`${attribute}: It must be a list.`);
  const items = list.map((item: unknown) => (typeof item === 'string' ? { value: item } : item));
  if (items.some((item) => !isDictionary(item))) throw refused(`${attribute}: Its items must be JSON objects.`);
  return items.filter((item) => ![undefined, null, ''].includes(subOf(item, 'value') as null));
}

const isPrimary = (item: unknown) => parseBoolean(subOf(item, 'primary')) === true;

/** A directory without addresses names its people by them. */
function readEmail(emails: unknown, username: string): string {
  const items = filled('emails', emails);
  const email = readValue<string>('emails.value', subOf(items.find(isPrimary) ?? items[0], 'value'), parseEmail);
  if (email !== null) return email;
  if (parseEmail(username) instanceof Refusal) throw refused('emails: An e-mail address is required.');
  return username;
}

/** Numbers of machines: no code is sent to them. */
const MACHINES = new Set(['fax', 'pager']);
const EXTENSION = /\s*(?:[;,]?\s*ext(?:ension|n)?[.=:]?|x|#)\s*\d{1,8}$/i;

function kindOf(item: unknown): string {
  const type = subOf(item, 'type');
  return typeof type === 'string' ? type.toLowerCase() : '';
}

/**
 * The mobile number, where a directory says which that is: codes go there. One without its country, as office systems
 * keep them, is passed over like all else that is not kept here, so that it holds up nobody's account.
 */
function readPhone(phoneNumbers: unknown): string | null {
  const items = filled('phoneNumbers', phoneNumbers);
  const numbers = items.flatMap((item) => {
    const digits = digitsOf(readValue<string>('phoneNumbers.value', subOf(item, 'value'), parseText()));
    return digits === null || MACHINES.has(kindOf(item)) ? [] : [{ item, digits }];
  });
  const counts =
    numbers.find(({ item }) => isPrimary(item)) ?? numbers.find(({ item }) => kindOf(item) === 'mobile') ?? numbers[0];
  return counts?.digits ?? null;
}

function digitsOf(text: string | null): string | null {
  if (text === null || text.length > 60) return null;
  const digits = text
    .replace(/^tel:/i, '')
    .replace(EXTENSION, '')
    .replace(/^(\+[\d\s]+)\(0\)/, '$1')
    .replaceAll(/[\s().+/-]/g, '')
    .replace(/^00/, '');
  return /^[1-9]\d{4,14}$/.test(digits) ? digits : null;
}

/** The languages of the mails; in another one the account keeps what it has. */
function readLanguage(raw: unknown): 'en' | 'ar' | null {
  const text = readValue<string>('preferredLanguage', raw, parseText({ maxLength: 100 }));
  const primary = text?.toLowerCase().split(/[-_,;]/, 1)[0];
  return primary === 'en' || primary === 'ar' ? primary : null;
}
