import { type DomainError, ValidationError } from '@app/common';

export const SCIM_TYPE = 'application/scim+json';
export const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The error types of RFC 7644, table 9, by our codes. */
const SCIM_TYPES: Readonly<Record<string, string>> = {
  invalid_filter: 'invalidFilter',
  uniqueness: 'uniqueness',
  mutability: 'mutability',
  parse_error: 'invalidSyntax',
  invalid_syntax: 'invalidSyntax',
  invalid_path: 'invalidPath',
  no_target: 'noTarget',
  invalid_value: 'invalidValue',
  invalid: 'invalidValue',
};

function detailOf(error: DomainError): string {
  if (!(error instanceof ValidationError)) return error.message;
  return Object.entries(error.fields)
    .map(([field, messages]) => `${field}: ${messages.join(' ')}`)
    .join(' ');
}

/** An error as SCIM clients read it (RFC 7644, section 3.12), with our `code` besides; null for a fault of ours. */
export function toScimError(error: DomainError | null, status: number): Record<string, unknown> {
  const scimType = status === 400 || status === 409 ? SCIM_TYPES[error?.code ?? ''] : undefined;
  return {
    schemas: [SCIM_ERROR],
    status: String(status),
    ...(scimType ? { scimType } : {}),
    detail: error ? detailOf(error) : 'Internal server error.',
    code: error?.code ?? 'internal_error',
  };
}
