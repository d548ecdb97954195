import type { Request } from 'express';
import { publicAddress } from '../http/public-address.js';

/** Under which address a sender finds a webhook. */
export class HookAddress {
  of(request: Request, token: string): string {
    return `${publicAddress(request)}/hooks/${token}/`;
  }

  ofNullable(request: Request, token: string | null): string | null {
    return token === null ? null : this.of(request, token);
  }
}
