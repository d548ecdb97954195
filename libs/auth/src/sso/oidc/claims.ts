import { cutText, parseEmail, Refusal, refuseUnstorable, toOneLine } from '@app/common';
import { z } from 'zod';
import { invalidIdToken } from './oidc-errors.js';

const MAX_SUBJECT = 255;
const MAX_NAME = 150;

/** Whom a provider vouches for. */
export interface ProvenIdentity {
  /** The `iss` of the ID token, with which alone `subject` means somebody. */
  issuer: string;
  subject: string;
  /** Empty when the provider gives no address. */
  email: string;
  emailVerified: boolean;
  firstName: string;
  lastName: string;
}

const storable = z.string().refine((text) => refuseUnstorable(text) === null);
const optionalText = storable.nullish().transform((text) => text?.trim() ?? '');
const nameText = optionalText.transform(toOneLine);
const yes = z
  .unknown()
  .optional()
  .transform((value) => value === true || value === 'true' || value === 1 || value === '1');
const schema = z.object({
  iss: storable,
  sub: storable.min(1).max(MAX_SUBJECT),
  email: optionalText,
  // Some providers write it as text.
  email_verified: yes,
  // Microsoft Entra ID says so in a claim of its own: whether the owner of the address's domain is proved.
  xms_edov: yes,
  given_name: nameText,
  family_name: nameText,
  name: nameText,
});

/** @throws InvalidRequestError `invalid_id_token` for claims of another type than OpenID Connect gives them */
export function readClaims(claims: Record<string, unknown>): ProvenIdentity {
  const read = schema.safeParse(claims);
  if (!read.success)
    throw invalidIdToken(`its claims: ${read.error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  const { iss, sub, email, email_verified, xms_edov, given_name, family_name, name } = read.data;
  // Some directories put the name of the account here, which is no address.
  const isAddress = !(parseEmail(email) instanceof Refusal);
  const [first = '', ...rest] = name.split(/\s+/);
  const named = given_name !== '' || family_name !== '';
  return {
    issuer: iss,
    subject: sub,
    email: isAddress ? email : '',
    emailVerified: isAddress && (email_verified || xms_edov),
    firstName: cutText(named ? given_name : first, MAX_NAME),
    lastName: cutText(named ? family_name : rest.join(' '), MAX_NAME),
  };
}
