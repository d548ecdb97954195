import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** Answers a JSON array of any length, a batch at a time. Errors of the first batch still get a status of their own. */
export async function sendJsonArray<T>(
  response: Response,
  batches: AsyncGenerator<readonly T[], void>,
  toItem: (record: T) => object,
): Promise<void> {
  const first = await batches.next();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  await pipeline(arrayText(first, batches, toItem), response);
}

async function* arrayText<T>(
  first: IteratorResult<readonly T[], void>,
  rest: AsyncGenerator<readonly T[], void>,
  toItem: (record: T) => object,
): AsyncGenerator<string> {
  let separator = '[';
  for (let batch = first; !batch.done; batch = await rest.next()) {
    if (batch.value.length === 0) continue;
    yield separator + batch.value.map((record) => JSON.stringify(toItem(record))).join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
