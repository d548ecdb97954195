import type { IssuedSession, Principal, SessionSummary } from '@app/auth';
import { BooleanField, DateTimeField, IntegerField, StringField, UuidField } from '../http/fields.js';

export class LoginRequest {
  @StringField({ maxLength: 254, trim: false, description: 'User name or e-mail address, matched exactly.' })
  username: string;

  @StringField({ maxLength: 4096, trim: false })
  password: string;
}

export class RefreshRequest {
  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    description: 'When there is no cookie.',
  })
  refresh_token?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    description: 'The same under its other name.',
  })
  refresh?: string | null;
}

export class SessionResponse {
  @StringField({ description: 'Sent as `Authorization: Token <auth_token>`.' })
  auth_token: string;

  @IntegerField({ description: 'Seconds until the access token expires.', example: 86_400 })
  expires_in: number;

  @IntegerField({ description: 'Seconds until the session ends for good.', example: 7_776_000 })
  absolute_expires_in: number;
}

export function toSessionResponse(issued: IssuedSession): SessionResponse {
  return {
    auth_token: issued.accessToken,
    expires_in: issued.expiresIn,
    absolute_expires_in: issued.absoluteExpiresIn,
  };
}

export class SessionSummaryResponse {
  @UuidField()
  id: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ description: 'To the minute.' })
  last_seen_at: Date;

  @StringField()
  ip: string;

  @StringField()
  user_agent: string;

  @StringField({ description: 'How the account signed in.', example: 'password' })
  method: string;

  @BooleanField({ description: 'Whether this call came from it.' })
  current: boolean;
}

export function toSessionSummaryResponse(session: SessionSummary, viewer: Principal): SessionSummaryResponse {
  return {
    id: session.id,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
    ip: session.ip,
    user_agent: session.userAgent,
    method: session.method,
    current: session.id === viewer.sessionId,
  };
}

export class SocketTicketRequest {
  @StringField({ maxLength: 200, description: 'Path of the WebSocket that the ticket opens, without its query.' })
  channel: string;
}

export class SocketTicketResponse {
  @StringField()
  ticket: string;

  @IntegerField({ description: 'Seconds.', example: 30 })
  expires_in: number;
}
