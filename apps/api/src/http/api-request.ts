import type { Principal } from '@app/auth';
import type { Request } from 'express';
import type { RateLimit } from './route.js';
import type { DeclaredRoute } from './route-catalog.js';

/** A request as the guards leave it. */
export interface ApiRequest extends Request {
  user?: Principal;
  /** Set once the route is known. */
  declaredRoute?: DeclaredRoute;
  /** The bytes of the body, on routes with `keepsRawBody`. */
  rawBody?: Buffer;
  /** Of a body that was parsed, once it is unpacked; absent for multipart forms. */
  bodyBytes?: number;
  /** What the call counts against, unless its route has a limit of its own. */
  countedBy?: { limit: RateLimit; who: string };
}
