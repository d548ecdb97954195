import type { DiscoveryResult, StartedSignIn } from '@app/mcp';
import { BooleanField, ChoiceField, kinds, ListField, NestedField, StringField } from '../../http/fields.js';

const REGISTRATIONS = ['preregistered', 'client_metadata', 'dynamic', 'none'] as const;
const MAX_SCOPES = 100;

export class DiscoverRequest {
  @StringField({ maxLength: 2000, description: "The server's MCP endpoint." })
  url: string;
}

export class DiscoveryResponse {
  @BooleanField({ description: 'Whether auth_type oauth can be used.' })
  available: boolean;

  @StringField({ nullable: true, description: 'Host of the issuer.' })
  provider: string | null;

  @ListField(kinds.string(), { description: 'All that may be asked for.' })
  scopes: string[];

  @ListField(kinds.string(), { description: 'Asked for unless others are chosen.' })
  default_scopes: string[];

  @BooleanField({ description: 'Whether the provider registers applications by itself.' })
  dynamic_registration: boolean;

  @BooleanField({ description: 'Whether an administrator has to register this deployment with the provider first.' })
  needs_admin: boolean;

  @StringField({ nullable: true, description: 'Why nothing could be found out; null when the server answered.' })
  error: string | null;

  @ChoiceField(REGISTRATIONS, { description: 'How this deployment is known to the provider.' })
  registration: (typeof REGISTRATIONS)[number];

  @StringField({ nullable: true })
  issuer: string | null;

  @StringField({ nullable: true, description: 'What tokens are asked for (RFC 8707).' })
  resource: string | null;

  @StringField({ nullable: true, description: 'Of MCP, where the server tells it without a sign-in.' })
  protocol_version: string | null;

  @StringField({
    nullable: true,
    description:
      'Set where an application that an administrator registered would send its token to a host that it was not ' +
      'registered for: ask the person, and begin with it as `confirm_host`.',
  })
  confirm_host: string | null;

  @StringField({ nullable: true, description: 'Where the provider leads back to, and no other provider.' })
  redirect_uri: string | null;
}

export class DiscoverResponse {
  @NestedField(() => DiscoveryResponse)
  oauth: DiscoveryResponse;
}

export class StartSignInRequest {
  @ListField(kinds.string({ maxLength: 200 }), {
    optional: true,
    nullable: true,
    maxItems: MAX_SCOPES,
    description:
      'Of those that were discovered. Without it what was granted before, what the server asked for since, and what it ' +
      'asks of everybody.',
  })
  scopes?: string[] | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    maxLength: 300,
    description: 'The host to which the person agrees that the token goes, as `confirmation_required` named it.',
  })
  confirm_host?: string | null;
}

export class StartSignInResponse {
  @StringField({ description: 'Where the browser goes to sign in.' })
  auth_url: string;

  @StringField({ description: 'What the provider brings back; usable once, by this user, for ten minutes.' })
  state: string;

  @ListField(kinds.string())
  scopes: string[];

  @StringField({ description: 'Host of the issuer.' })
  provider: string;
}

/** What the provider's redirect carries. */
export class SignInReturnedRequest {
  @StringField({ maxLength: 8192 })
  code: string;

  @StringField({ maxLength: 500 })
  state: string;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 2048, description: 'RFC 9207.' })
  iss?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    maxLength: 2048,
    description:
      'The address of the page that the provider led to (`location.origin + location.pathname`). Each provider has its ' +
      'own, so that one cannot pass for another.',
  })
  redirect_uri?: string | null;
}

/** The draft "OAuth Client ID Metadata Document": who this deployment is, for authorization servers. */
export class ClientMetadataResponse {
  @StringField({ description: 'The address of this document.' })
  client_id: string;

  @StringField()
  client_name: string;

  @StringField({ optional: true })
  client_uri?: string | undefined;

  @ListField(kinds.string())
  redirect_uris: string[];

  @ListField(kinds.string())
  grant_types: string[];

  @ListField(kinds.string())
  response_types: string[];

  @StringField()
  application_type: string;

  @StringField()
  token_endpoint_auth_method: string;
}

export function toDiscoveryResponse(found: DiscoveryResult): DiscoveryResponse {
  const { available, provider, scopes, error, registration, issuer, resource } = found;
  return {
    available,
    provider,
    scopes,
    default_scopes: found.defaultScopes,
    dynamic_registration: found.dynamicRegistration,
    needs_admin: found.needsAdmin,
    error,
    registration,
    issuer,
    resource,
    protocol_version: found.protocolVersion,
    confirm_host: found.confirmHost,
    redirect_uri: found.redirectUri,
  };
}

export function toStartSignInResponse({ authUrl, ...started }: StartedSignIn): StartSignInResponse {
  return { auth_url: authUrl, ...started };
}
