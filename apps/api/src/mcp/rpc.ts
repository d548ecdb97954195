import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { problemsOf } from './tools/tool.js';

/** An error as a client is told of it. The SDK's own has its code in its text, where the client's SDK puts it again. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: Record<string, unknown>,
  ) {
    super(message);
  }
}

type Method = z.ZodObject<{ method: z.ZodLiteral<string> }>;
type Extra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1];
type Handler<T> = (request: T, extra: Extra) => object | Promise<object>;

/** What a server answers, by the method of the request. */
export class RpcMethods {
  private readonly byName = new Map<string, (request: unknown, extra: Extra) => Promise<object>>();

  /**
   * Has requests of one method answered. What does not fit the method is the client's mistake (-32602):
   * `setRequestHandler` of the SDK would have it told as a fault of this server (-32603), which clients try again.
   */
  on<S extends Method>(schema: S, handler: Handler<z.output<S>>): void {
    this.byName.set(schema.shape.method.value, async (request, extra) => {
      const read = schema.safeParse(request);
      if (!read.success) throw new RpcError(ErrorCode.InvalidParams, problemsOf(read.error));
      return handler(read.data, extra);
    });
  }

  serve(server: Server): void {
    server.fallbackRequestHandler = async (request, extra) => {
      const answer = this.byName.get(request.method);
      if (!answer) throw new RpcError(ErrorCode.MethodNotFound, 'Method not found');
      return { ...(await answer(request, extra)) };
    };
  }
}
