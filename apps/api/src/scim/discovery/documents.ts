import { GROUP_SCHEMA, USER_SCHEMA } from '@app/auth';
import type { Resource } from '../protocol/resources.js';

const CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

export function serviceProviderConfig(base: string): Resource {
  return {
    schemas: [CONFIG],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token of the organisation, made by an operator.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string): Resource[] {
  const types: [string, string, string][] = [
    ['User', USER_SCHEMA, 'An account of the organisation'],
    ['Group', GROUP_SCHEMA, 'A group; its name is a role of its members'],
  ];
  return types.map(([name, schema, description]) => ({
    schemas: [RESOURCE_TYPE],
    id: name,
    name,
    description,
    endpoint: `/${name}s`,
    schema,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }));
}

interface AttributeOptions {
  type?: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  mutability?: 'readWrite' | 'readOnly';
  uniqueness?: 'none' | 'server';
  subAttributes?: Resource[];
  referenceTypes?: string[];
}

function attribute(name: string, description: string, options: AttributeOptions = {}): Resource {
  const { type = 'string', ...rest } = options;
  return {
    name,
    description,
    type,
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...rest,
  };
}

const READ_ONLY = { mutability: 'readOnly' } as const;

const listed = (what: string) => [
  attribute('value', what),
  attribute('type', 'What it is for'),
  attribute('primary', 'Whether it is the one that counts', { type: 'boolean' }),
];

const userAttributes = [
  attribute('userName', 'The name to sign in with, unique on the platform', { required: true, uniqueness: 'server' }),
  attribute('name', 'First and last name', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'Both', READ_ONLY),
      attribute('givenName', 'First name'),
      attribute('familyName', 'Last name'),
    ],
  }),
  attribute('displayName', 'The name as the directory shows it'),
  attribute('preferredLanguage', 'en or ar'),
  attribute('active', 'Whether the account may sign in', { type: 'boolean' }),
  attribute('emails', 'One address is kept, the primary one', {
    type: 'complex',
    multiValued: true,
    subAttributes: listed('The address'),
  }),
  attribute('phoneNumbers', 'One number is kept, the primary one, else the mobile one', {
    type: 'complex',
    multiValued: true,
    subAttributes: listed('The number, with its country'),
  }),
  attribute('groups', 'The groups of the user', {
    type: 'complex',
    multiValued: true,
    ...READ_ONLY,
    subAttributes: [attribute('value', 'Id of the group', READ_ONLY), attribute('display', 'Its name', READ_ONLY)],
  }),
];

const groupAttributes = [
  attribute('displayName', 'Unique in the organisation', { required: true, uniqueness: 'server' }),
  attribute('members', 'Users of the organisation', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user'),
      attribute('display', 'Name of the user', READ_ONLY),
      attribute('$ref', 'Address of the user', { type: 'reference', referenceTypes: ['User'], ...READ_ONLY }),
    ],
  }),
];

export function schemas(base: string): Resource[] {
  const kinds: [string, string, string, Resource[]][] = [
    [USER_SCHEMA, 'User', 'An account of the organisation', userAttributes],
    [GROUP_SCHEMA, 'Group', 'A group of the organisation', groupAttributes],
  ];
  return kinds.map(([id, name, description, attributes]) => ({
    schemas: [SCHEMA],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }));
}
