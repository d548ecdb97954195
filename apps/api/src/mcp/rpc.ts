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
type Handler<S extends Method> = (request: z.output<S>, extra: Extra) => object | Promise<object>;

/**
 * Has requests of one method answered. What does not fit the method is the client's mistake (-32602): `setRequestHandler`
 * of the SDK would have it told as a fault of this server (-32603), which clients try again.
 */
export function answer<S extends Method>(server: Server, schema: S, handler: Handler<S>): void {
  const { value: method } = schema.shape.method;
  const others = server.fallbackRequestHandler;
  server.fallbackRequestHandler = async (request, extra) => {
    if (request.method !== method) {
      if (others) return others(request, extra);
      throw new RpcError(ErrorCode.MethodNotFound, 'Method not found');
    }
    const read = schema.safeParse(request);
    if (!read.success) throw new RpcError(ErrorCode.InvalidParams, problemsOf(read.error));
    return { ...(await handler(read.data, extra)) };
  };
}
