import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { EgressGuard } from './egress-guard.js';

type ConnectOptions = Parameters<HttpAgent['createConnection']>[0];
type Connected = (error: Error | null, stream: Duplex) => void;

/** Gives the connection the guard's resolver. @throws EgressError for a host that needs no resolving and is refused */
function guarded(guard: EgressGuard, options: ConnectOptions): ConnectOptions {
  const port = options.port ?? options.defaultPort ?? 80;
  guard.checkLiteral(options.host ?? 'localhost', port);
  return { ...options, lookup: guard.lookupFor(port) };
}

export class GuardedHttpAgent extends HttpAgent {
  constructor(
    private readonly guard: EgressGuard,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(options: ConnectOptions, done?: Connected): Duplex | null | undefined {
    try {
      return super.createConnection(guarded(this.guard, options), done);
    } catch (error) {
      return refuse(error, done);
    }
  }
}

export class GuardedHttpsAgent extends HttpsAgent {
  constructor(
    private readonly guard: EgressGuard,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(options: ConnectOptions, done?: Connected): Duplex | null | undefined {
    try {
      return super.createConnection(guarded(this.guard, options), done);
    } catch (error) {
      return refuse(error, done);
    }
  }
}

/** A throw would end the process when a queued request gets its turn. */
function refuse(error: unknown, done: Connected | undefined): undefined {
  (done as ((error: unknown) => void) | undefined)?.(error);
  return undefined;
}
