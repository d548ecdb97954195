import { ValidationError } from '@app/common';

interface Body {
  credential?: Record<string, unknown> | null;
  id?: string;
  rawId?: string;
  type?: string;
  response?: Record<string, unknown> | null;
}

/**
 * The credential of a request, which may be the body itself (docs/contract/accounts.md#passkeys).
 * @throws ValidationError when there is none
 */
export function credentialOf({ credential, id, rawId, type, response }: Body): Record<string, unknown> {
  const found = credential ?? (response ? { id, rawId, type, response } : null);
  if (!found) throw new ValidationError({ credential: ['This field is required.'] });
  return found;
}
