import type { Principal } from '@app/auth';
import type { Request } from 'express';
import type { DeclaredRoute } from './route-catalog.js';

/** A request as the guards leave it. */
export interface ApiRequest extends Request {
  user?: Principal;
  /** Set once the route is known. */
  declaredRoute?: DeclaredRoute;
  /** The bytes of the body, on routes with `keepsRawBody`. */
  rawBody?: Buffer;
}
