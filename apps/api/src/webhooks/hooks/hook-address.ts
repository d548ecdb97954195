import type { Request } from 'express';

/** Under which address a sender finds a webhook: from `PUBLIC_URL`, or as this client came where it is not set. */
export class HookAddress {
  constructor(private readonly publicUrl: string | undefined) {}

  of(request: Request, token: string): string {
    const base = this.publicUrl ?? `${request.protocol}://${request.get('host') ?? 'localhost'}`;
    return `${base.replace(/\/+$/, '')}/hooks/${token}/`;
  }

  ofNullable(request: Request, token: string | null): string | null {
    return token === null ? null : this.of(request, token);
  }
}
