import type { AppConfig } from '@app/config';
import type { SecurityHeadersOptions } from '@nestjs/common';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { RequestHandler } from 'express';
import { isCallingOrigin } from './origins.js';

/** The api answers data, which a browser has no reason to run, frame or keep. */
export function securityHeaders({ publicUrl }: AppConfig['http']): SecurityHeadersOptions {
  return {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: "'none'", frameAncestors: "'none'" } },
    strictTransportSecurity: publicUrl?.startsWith('https:') ?? false,
    xFrameOptions: { action: 'deny' },
    // These speak to browsers about pages, which the api has none of, and would be sent with every answer.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  };
}

/** Swagger UI needs its own scripts and styles. */
export const referenceHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
  );
  next();
};

/** The SPA origins of the settings, and of this machine where they say so; no others, and never all. */
export function corsOptions(http: Pick<AppConfig['http'], 'corsOrigins' | 'corsLocalhost'>): CorsOptions {
  return {
    origin: (origin, done) => done(null, origin !== undefined && isCallingOrigin(http, origin)),
    credentials: true,
    maxAge: 600,
    exposedHeaders: [
      'X-Request-Id',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'Idempotency-Replayed',
      'X-Turn-Id',
      'X-Chat-Session-Id',
      'X-Run-Version',
      'ETag',
      'Content-Disposition',
      // Of resumable uploads (tus).
      'Location',
      'Tus-Resumable',
      'Tus-Version',
      'Tus-Extension',
      'Tus-Max-Size',
      'Upload-Offset',
      'Upload-Length',
      'Upload-Metadata',
      'Upload-Expires',
      'X-Document-Uid',
      // Of MCP clients in browsers.
      'Mcp-Session-Id',
      'WWW-Authenticate',
    ],
  };
}
