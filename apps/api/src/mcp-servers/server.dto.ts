import { AUTH_TYPES, type AuthType, type Probe, type ServerDraft, type ServerRecord } from '@app/mcp';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  StringField,
} from '../http/fields.js';

const STATUSES = ['untested', 'ok', 'error', 'needs_reauth'];
const TRANSPORTS = ['streamable_http', 'sse'];

export class ServerRequest {
  @StringField({ optional: true, allowBlank: true, description: 'Display name, at most 100 characters.' })
  label?: string;

  @StringField({ optional: true, allowBlank: true, description: "The server's MCP endpoint; it begins with https://." })
  url?: string;

  @ChoiceField(AUTH_TYPES, { optional: true, description: '`none` unless told.' })
  auth_type?: AuthType;

  @StringField({ optional: true, nullable: true, allowBlank: true, description: 'For `header`.' })
  auth_header_name?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    trim: false,
    description: 'Token or key for `bearer` and `header`; never shown again. Empty: none.',
  })
  secret?: string | null;

  @BooleanField({ optional: true, description: 'Disabled servers are kept but not offered to the agent.' })
  enabled?: boolean;
}

export class TryServerRequest extends ServerRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    description: 'A saved server whose fields, and whose secret for the same url, stand for those that are absent.',
  })
  id?: number | null;
}

/** What is absent, or null where that means nothing, stays out. */
export function toServerDraft(body: ServerRequest): ServerDraft {
  const { label, url, auth_type: authType, auth_header_name: headerName, secret, enabled } = body;
  return {
    ...(label === undefined ? {} : { label }),
    ...(url === undefined ? {} : { url }),
    ...(authType === undefined ? {} : { authType }),
    ...(headerName === undefined ? {} : { authHeaderName: headerName ?? '' }),
    ...(secret === undefined ? {} : { secret: secret ?? '' }),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

export class ServerResponse {
  @IntegerField()
  id: number;

  @StringField()
  label: string;

  @StringField({ description: "Begins the names of the server's tools; stays when the label changes." })
  slug: string;

  @StringField()
  url: string;

  @ChoiceField(AUTH_TYPES)
  auth_type: AuthType;

  @StringField()
  auth_header_name: string;

  @BooleanField()
  has_secret: boolean;

  @BooleanField()
  enabled: boolean;

  @ChoiceField(STATUSES)
  status: string;

  @DateTimeField({ nullable: true })
  last_ok_at: Date | null;

  @StringField()
  last_error: string;

  @IntegerField()
  tool_count: number;

  @ListField(kinds.string())
  tool_names: string[];

  @IntegerField({ description: 'Tools that are new or were changed by the server, and are off until you accept them.' })
  tools_waiting: number;

  @StringField({ description: 'What is missing in the list of tools, in words.' })
  tools_note: string;

  @StringField({ description: 'Separated by blanks.' })
  granted_scopes: string;

  @StringField({
    description: 'Separated by blanks: for what the next sign-in asks, because the server wants more; else empty.',
  })
  required_scopes: string;

  @DateTimeField({ nullable: true })
  token_expires_at: Date | null;

  @StringField({ nullable: true, description: 'Host of the OAuth issuer.' })
  oauth_provider: string | null;

  @ChoiceField(TRANSPORTS, { nullable: true, description: 'That worked last.' })
  transport: string | null;

  @StringField({ description: 'Version of MCP that was agreed on.' })
  protocol_version: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;

  @IntegerField({ description: 'The owner.' })
  user: number;
}

export function toServerResponse(server: ServerRecord): ServerResponse {
  return {
    id: server.id,
    label: server.label,
    slug: server.slug,
    url: server.url,
    auth_type: server.authType,
    auth_header_name: server.authHeaderName,
    has_secret: server.hasSecret,
    enabled: server.enabled,
    status: server.status,
    last_ok_at: server.lastOkAt,
    last_error: server.lastError,
    tool_count: server.toolNames.length,
    tool_names: server.toolNames,
    tools_waiting: server.toolsWaiting,
    tools_note: server.toolsNote,
    granted_scopes: server.grantedScopes,
    required_scopes: server.requiredScopes,
    token_expires_at: server.tokenExpiresAt,
    oauth_provider: server.oauthProvider,
    transport: server.transport,
    protocol_version: server.protocolVersion,
    created_at: server.createdAt,
    updated_at: server.updatedAt,
    user: server.userId,
  };
}

export class ProbeResponse {
  @BooleanField()
  ok: boolean;

  @StringField({ description: 'Empty when it worked.' })
  error: string;

  @BooleanField()
  needs_reauth: boolean;

  @IntegerField()
  tool_count: number;

  @ListField(kinds.string())
  tool_names: string[];

  @StringField({ description: 'What of the listed tools is left out, in words.' })
  tools_note: string;

  @IntegerField()
  latency_ms: number;

  @NestedField(() => ServerResponse, { nullable: true, description: 'Null for a configuration that is not saved.' })
  server: ServerResponse | null;
}

export function toProbeResponse(probe: Probe): ProbeResponse {
  return {
    ok: probe.ok,
    error: probe.error,
    needs_reauth: probe.needsReauth,
    tool_count: probe.toolNames.length,
    tool_names: probe.toolNames,
    tools_note: probe.toolsNote,
    latency_ms: probe.latencyMs,
    server: probe.server && toServerResponse(probe.server),
  };
}

export class ServerDeletedResponse {
  @StringField()
  message: string;
}
