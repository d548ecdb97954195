import { ONE_LINE } from '@app/common';
import type { PasskeySummary, Remaining } from '@app/auth';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { UserResponse } from '../profile/profile.dto.js';
import { SessionResponse } from '../sessions/sessions.dto.js';

const LONGEST_NAME = 64;
const LONGEST_WRAPPED_KEY = 4096;

export class RegistrationBeginRequest {
  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: LONGEST_NAME, ...ONE_LINE })
  name?: string | null;
}

export class CeremonyResponse {
  @UuidField()
  ceremony_id: string;

  @IntegerField({ description: 'Seconds.', example: 300 })
  expires_in: number;

  @ObjectField({
    description: 'For `startRegistration` or `startAuthentication` of @simplewebauthn/browser, as it is.',
  })
  options: object;
}

/** What the browser answered, under `credential` or as the body itself. */
class CredentialRequest {
  @UuidField({ optional: true, nullable: true, description: 'When missing, the challenge tells.' })
  ceremony_id?: string | null;

  @ObjectField({ optional: true, nullable: true, description: 'The JSON form of a PublicKeyCredential.' })
  credential?: Record<string, unknown> | null;

  @StringField({ optional: true, allowBlank: true, description: 'Of a credential without envelope.' })
  id?: string;

  @StringField({ optional: true, allowBlank: true, description: 'Of a credential without envelope.' })
  rawId?: string;

  @StringField({ optional: true, allowBlank: true, description: 'Of a credential without envelope.' })
  type?: string;

  @ObjectField({ optional: true, nullable: true, description: 'Of a credential without envelope.' })
  response?: Record<string, unknown> | null;
}

export class RegistrationFinishRequest extends CredentialRequest {
  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: LONGEST_NAME, ...ONE_LINE })
  name?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    trim: false,
    maxLength: LONGEST_WRAPPED_KEY,
    description: 'The recovery key of the client; handed back as `encryption_key` at each sign-in with this passkey.',
  })
  rek_wrapped?: string | null;
}

export class SignInFinishRequest extends CredentialRequest {}

export class PasskeyResponse {
  @IntegerField()
  id: number;

  @StringField()
  credential_id: string;

  @StringField()
  name: string;

  @StringField({ description: 'The make of the authenticator.' })
  aaguid: string;

  @ListField(kinds.string())
  transports: string[];

  @ChoiceField(['singleDevice', 'multiDevice'])
  device_type: string;

  @BooleanField()
  backed_up: boolean;

  @BooleanField({ description: 'Whether signing in with it gives `encryption_key`.' })
  has_encryption_key: boolean;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  last_used_at: Date | null;

  @BooleanField({ description: 'Blocked: a copy of it seems to be in use. Remove it, and add a new one.' })
  suspected_clone: boolean;
}

export class RegistrationFinishResponse {
  @StringField()
  message: string;

  @NestedField(() => PasskeyResponse)
  passkey: PasskeyResponse;
}

export class PasskeySessionResponse extends SessionResponse {
  @NestedField(() => UserResponse)
  user: UserResponse;

  @StringField({ optional: true, description: '`rek_wrapped` of the registration, when it had one.' })
  encryption_key?: string;
}

export class RemoveRequest {
  @IntegerField({ optional: true, nullable: true })
  id?: number | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 1364, description: 'In place of `id`.' })
  credential_id?: string | null;
}

export class RemoveResponse {
  @StringField()
  message: string;

  @IntegerField({ description: 'Passkeys that are left.' })
  passkey_count: number;

  @IntegerField({ description: 'Ways to sign in that are left, each passkey counted.' })
  auth_method_count: number;
}

export class RenameRequest {
  @IntegerField()
  id: number;

  @StringField({ maxLength: LONGEST_NAME, ...ONE_LINE })
  name: string;
}

export function toPasskeyResponse(passkey: PasskeySummary): PasskeyResponse {
  return {
    id: passkey.id,
    credential_id: passkey.credentialId,
    name: passkey.name,
    aaguid: passkey.aaguid,
    transports: passkey.transports,
    device_type: passkey.deviceType,
    backed_up: passkey.backedUp,
    has_encryption_key: passkey.hasEncryptionKey,
    created_at: passkey.createdAt,
    last_used_at: passkey.lastUsedAt,
    suspected_clone: passkey.suspectedClone,
  };
}

export function toRemoveResponse({ passkeys, signInMethods }: Remaining): RemoveResponse {
  return { message: 'The passkey was removed.', passkey_count: passkeys, auth_method_count: signInMethods };
}
