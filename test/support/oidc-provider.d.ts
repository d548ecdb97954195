/** As much of oidc-provider 9 as the tests use; the package brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface InteractionDetails {
    prompt: { name: string };
    params: Record<string, string | undefined>;
  }
  export interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }
  interface AccessToken {
    readonly clientId: string;
    readonly aud: string | string[] | undefined;
    readonly scope: string | undefined;
    readonly exp: number;
    destroy(): Promise<void>;
  }
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly Grant: new (properties: { accountId: string; clientId: string }) => Grant;
    readonly AccessToken: { find(token: string): Promise<AccessToken | undefined> };
    on(event: string, listener: (...args: never[]) => void): this;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<InteractionDetails>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
  interface Policy {
    add(prompt: object, index?: number): void;
  }
  export const interactionPolicy: {
    base(): Policy;
    Prompt: new (info: { name: string; requestable: boolean }) => object;
  };
}
