import { hash, randomBytes } from 'node:crypto';

/** 256 random bits, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored instead of a token: SHA-256. A slow hash would add nothing, the input being random. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
