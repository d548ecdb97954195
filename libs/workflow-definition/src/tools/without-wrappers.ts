import { z } from 'zod';

/** What an optional, a default or a pipe is about; unions are left alone, since any of them may be meant. */
export function withoutWrappers(schema: unknown): unknown {
  let inner = schema;
  for (let depth = 0; depth < 10; depth += 1) {
    if (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault)
      inner = inner.unwrap();
    else if (inner instanceof z.ZodPipe) inner = inner.in;
    else break;
  }
  return inner;
}
