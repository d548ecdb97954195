import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Principal } from './principal.js';

export const PUBLIC_ROUTE = 'atrium:public';

/** Opens a route to callers without a session; every other route needs one. */
export const Public = () => SetMetadata(PUBLIC_ROUTE, true);

interface AuthenticatedRequest {
  user?: Principal | null;
}

/** The caller. On a `@Public()` route it is null when nobody is signed in. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): Principal | null => {
  return context.switchToHttp().getRequest<AuthenticatedRequest>().user ?? null;
});
