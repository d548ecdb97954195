import { headerText } from '@app/common';
import type { Request } from 'express';

const BEYOND_ASCII = /[^\0-\x7f]/g;

/** What a client calls itself, for people to read. Nobody is turned away for it: bytes that are no UTF-8 become `?`. */
export function userAgentOf(request: Request): string {
  const given = request.get('user-agent') ?? '';
  return headerText(given) ?? given.replaceAll(BEYOND_ASCII, '?');
}
