import { BadGatewayError } from '@app/common';
import { z } from 'zod';

/** What is looked at of the answers of an extractor that is a service of its own; the rest is passed on as it is. */
const table = z.looseObject({ table_id: z.string().min(1), email: z.string() });
const database = z.looseObject({ tables_database_id: z.string().min(1), email: z.string() });

export const SERVICE_ANSWERS = {
  table,
  tables: z.object({ tables: z.array(table) }),
  database,
  databases: z.object({ tables_databases: z.array(database) }),
  created: z.object({ table_id: z.string().min(1) }),
  answer: z.object({ answer: z.string() }),
  any: z.looseObject({}),
};

export type ServiceTable = z.infer<typeof table>;
export type ServiceDatabase = z.infer<typeof database>;

/** @throws BadGatewayError `extractor_error` for an answer that is none */
export function readAnswer<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  throw new BadGatewayError('The extractor failed.', {
    code: 'extractor_error',
    cause: new Error(`The extractor answered with something else: ${z.prettifyError(read.error).slice(0, 500)}`),
  });
}

/** Whether both are one address. Letters beyond ASCII are compared as they are: some of them fold to others. */
export function isSameEmail(one: string, other: string): boolean {
  return one !== '' && foldAscii(one) === foldAscii(other);
}

function foldAscii(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
