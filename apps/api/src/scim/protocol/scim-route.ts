import { applyDecorators } from '@nestjs/common';
import type { RateLimit } from '../../http/route.js';
import { Route } from '../../http/route.js';
import { SCIM_TYPE } from '../../http/scim-error-body.js';

/** Of one token. */
export const SCIM_RATE: RateLimit = { bucket: 'scim', perMinute: 300, perCredential: true };

interface ScimRouteOptions {
  summary: string;
  /** What it means here, where the RFC leaves it open. */
  description: string;
  /** What comes back; nothing for 204. */
  gives: string | null;
  status?: 201;
  /** Further errors than 400, 401, 404 and 429. */
  errors?: readonly (403 | 409)[];
  takesBody?: true;
}

/** A route of RFC 7644: its own media type, errors, and limit. The body is read by `ScimGuard`. */
export function ScimRoute({
  summary,
  description,
  gives,
  status,
  errors = [],
  takesBody,
}: ScimRouteOptions): MethodDecorator {
  const statuses = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const;
  const named = statuses.filter((code) => ![403, 409, 413, 415].includes(code) || isNamed(code, errors, takesBody));
  return applyDecorators(
    Route({
      summary,
      description: `${description} For the directory of one organisation, which signs in with its SCIM token.`,
      errors: Object.fromEntries(named.map((code) => [code, 'scim'])),
      response: gives === null ? null : { contentType: SCIM_TYPE, description: gives },
      // Whoever leaves is put out by a change, whatever the plan says by then; only new ones need it.
      ...(status ? { status, answersHeaders: ['Location'] as const } : { open: true }),
      rate: SCIM_RATE,
      readsOwnBody: true,
      ...(takesBody ? { consumes: SCIM_TYPE } : {}),
    }),
  );
}

function isNamed(code: number, errors: readonly number[], takesBody: true | undefined): boolean {
  return code === 403 || code === 409 ? errors.includes(code) : takesBody === true;
}
