import type { RouteOptions } from '../../http/route.js';

const ANY = { contentType: 'application/json', description: 'As the extractor answers.' };

/** Routes that are handed on: their answers are those of the service, the errors our own. */
export function handedOn(summary: string, more: Partial<RouteOptions> = {}): RouteOptions {
  return { summary, errors: { 400: 'error' }, response: ANY, ...more };
}

export const WORKBOOK = {
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  description: 'A workbook.',
};
export const STREAM = { contentType: 'text/event-stream', description: 'As the extractor tells it.' };
