import { SSO_PROVIDERS } from '@app/auth';
import { BooleanField, ChoiceField, EmailField, IntegerField, NestedField, StringField } from '../http/fields.js';
import { UserResponse } from '../profile/profile.dto.js';

const LONGEST_CODE = 8192;

export class PlatformAuthorizeQuery {
  @StringField({
    optional: true,
    maxLength: 500,
    description: 'Where the web app goes on afterwards; one of SSO_REDIRECT_PATHS. Handed back at the end.',
  })
  redirect_path?: string;
}

export class OrgAuthorizeQuery extends PlatformAuthorizeQuery {
  @StringField({ maxLength: 320, description: 'A domain or a whole e-mail address.', example: 'acme.example' })
  domain: string;
}

export class AuthorizeResponse {
  @StringField({ description: 'Where the browser goes to sign in.' })
  auth_url: string;

  @StringField({ description: 'What the provider brings back; usable once, by this browser, for ten minutes.' })
  state: string;
}

export class SetupCredentialsRequest {
  @StringField({ maxLength: 320, example: 'acme.example' })
  domain: string;

  @StringField({ maxLength: 500 })
  client_id: string;

  @StringField({ maxLength: 2000, trim: false, description: 'Stored sealed, and never shown again.' })
  client_secret: string;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 200 })
  organization_name?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    maxLength: 200,
    description: 'Made by an operator for this domain, usable once; staff need none.',
  })
  setup_token?: string | null;
}

export class SetupCredentialsResponse {
  @StringField()
  message: string;

  @StringField()
  domain: string;

  @StringField()
  organization_name: string;
}

/** What the provider's redirect carries. */
export class ReturnedRequest {
  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: LONGEST_CODE })
  code?: string | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 500 })
  state?: string | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 2000, description: 'RFC 9207.' })
  iss?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    maxLength: 200,
    description: 'Why there is no code (RFC 6749, 4.1.2.1), such as `access_denied`.',
  })
  error?: string | null;
}

export class SsoSessionResponse {
  @StringField({ description: 'Sent as `Authorization: Token <auth_token>`.' })
  auth_token: string;

  @IntegerField({ description: 'Seconds until the access token expires.', example: 86_400 })
  expires_in: number;

  @NestedField(() => UserResponse)
  user: UserResponse;

  @StringField({ optional: true, description: "The client's wrapped recovery key, when the account has one." })
  encryption_key?: string;

  @StringField({ description: 'Of the provider; not stored.' })
  id_token: string;

  @StringField({ optional: true, description: 'As it was given to authorize/.' })
  redirect_path?: string;
}

export class LinkExchangeResponse {
  @ChoiceField(SSO_PROVIDERS)
  provider: string;

  @StringField({ description: 'Stable id of the account at the provider, for POST /users/sso/link/.' })
  sub: string;

  @StringField({ description: 'Empty when the provider tells none.' })
  email: string;

  @BooleanField()
  email_verified: boolean;

  @StringField({ description: 'Of the provider; not stored.' })
  id_token: string;

  @StringField({ description: 'Name of my organisation; empty when none.' })
  organization: string;

  @BooleanField({ description: 'Whether I have just moved into it from a personal one.' })
  organization_changed: boolean;

  @StringField({ optional: true, description: 'As it was given to authorize/.' })
  redirect_path?: string;
}

export class LinkRequest {
  @ChoiceField(SSO_PROVIDERS)
  provider: 'sso_org' | 'sso_platform';

  @StringField({ maxLength: 255, trim: false, description: 'From link-exchange/ of this session, within ten minutes.' })
  sub: string;

  @EmailField({ optional: true, nullable: true, description: 'Ignored: the verified address is kept.' })
  email?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    maxLength: 4096,
    description: 'Recovery key, wrapped by the client (opaque).',
  })
  rek_wrapped?: string | null;
}

export class LinkResponse {
  @StringField()
  message: string;

  @ChoiceField(SSO_PROVIDERS)
  provider: string;

  @StringField()
  email: string;

  @BooleanField()
  has_encryption_key: boolean;
}

export class UnlinkRequest {
  @ChoiceField(SSO_PROVIDERS)
  provider: 'sso_org' | 'sso_platform';
}

export class UnlinkResponse {
  @StringField()
  message: string;

  @ChoiceField(SSO_PROVIDERS)
  provider: string;
}
