import { createRequire } from 'node:module';

/** What the account holds that its password must not resemble. */
export interface PasswordSubject {
  username: string;
  email?: string;
  firstName?: string;
  lastName?: string;
}

const MIN_LENGTH = 8;
const MAX_LENGTH = 1024;
/** As in Django's UserAttributeSimilarityValidator. */
const TOO_SIMILAR = 0.7;

const require = createRequire(import.meta.url);
let common: ReadonlySet<string> | undefined;

/** Loaded for the first password that is chosen. */
function commonPasswords(): ReadonlySet<string> {
  if (common) return common;
  const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
  return (common = new Set(dictionary['passwords-common']?.map(String)));
}

/** The share of characters that both texts hold, whatever their order: difflib's quick_ratio. */
function likeness(a: string, b: string): number {
  const left = new Map<string, number>();
  for (const char of b) left.set(char, (left.get(char) ?? 0) + 1);
  let shared = 0;
  for (const char of a) {
    const count = left.get(char) ?? 0;
    if (count > 0) shared += 1;
    left.set(char, count - 1);
  }
  return (2 * shared) / (a.length + b.length);
}

function resembles(password: string, value: string): boolean {
  const parts = [value, ...value.split(/[^\p{L}\p{N}_]+/u)]
    .map((part) => part.toLowerCase())
    .filter((part) => part !== '');
  return parts.some((part) => password.length < 10 * part.length && likeness(password, part) >= TOO_SIMILAR);
}

/** The reasons against a new password, in Django's words; empty when it will do. */
export function passwordProblems(password: string, subject: PasswordSubject): string[] {
  const lower = password.slice(0, MAX_LENGTH).toLowerCase();
  const attributes: [string, string | undefined][] = [
    ['username', subject.username],
    ['first name', subject.firstName],
    ['last name', subject.lastName],
    ['email address', subject.email],
  ];
  const similar = attributes.find(([, value]) => value && resembles(lower, value));
  return [
    ...(similar ? [`The password is too similar to the ${similar[0]}.`] : []),
    ...([...password].length < MIN_LENGTH
      ? [`This password is too short. It must contain at least ${MIN_LENGTH} characters.`]
      : []),
    ...(password.length > MAX_LENGTH
      ? [`This password is too long. It may have at most ${MAX_LENGTH} characters.`]
      : []),
    ...(commonPasswords().has(lower.trim()) ? ['This password is too common.'] : []),
    ...(/^\p{Nd}+$/u.test(password) ? ['This password is entirely numeric.'] : []),
  ];
}
