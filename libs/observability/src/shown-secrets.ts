import { REDACTED } from './redaction.js';

/**
 * What a hidden value may consist of. Nothing that a shell acts on or a person is told by: whoever agrees to a command must
 * see all that it does, so that a value with such signs stays, and what comes behind it too.
 */
const SIGN = '[\\w.~+/=%!@#^*?,-]';
const NAME =
  '(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credentials?|signature|sig|otp)';
/** A name that ends with one of these; bounded, since it is tried at each word. */
const NAMED = `(?<![\\w-])[\\w-]{0,40}?${NAME}`;
const QUOTE = `\\\\?["']`;

const KEYS =
  /\b(?:sk-[\w-]{16,200}|gh[opusr]_\w{20,200}|github_pat_\w{20,200}|glpat-[\w-]{16,100}|xox[abeprs]-[\w-]{10,200}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,60}|ya29\.[\w-]{20,500}|npm_\w{30,60}|hf_\w{20,60}|[prs]k_(?:live|test)_\w{10,200}|eyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,2000})?)/g;
const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[\w+/=\s\\]{1,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g;
const HEADER = new RegExp(
  `((?<![\\w-])(?:proxy-)?authorization(?:${QUOTE})?\\s{0,5}[:=]\\s{0,5}(?:${QUOTE})?(?:(?:Bearer|Basic|Token|Digest)\\s{1,5})?)${SIGN}{3,8000}`,
  'gi',
);
const SCHEME = /\b((?:Bearer|Basic|Token)\s{1,5})(?=[\w.~+/=-]*[\d._~+/=-])[\w.~+/=-]{8,8000}/g;
const COOKIE = new RegExp(
  `((?<![\\w-])(?:set-)?cookie(?:${QUOTE})?\\s{0,5}[:=]\\s{0,5}(?:${QUOTE})?)${SIGN}{3,4000}(?:;\\s?[\\w-]{1,100}=${SIGN}{1,4000}){0,50}`,
  'gi',
);
/** `name=value`, `"name": "value"`, `--name value`: written for a program. */
const ASSIGNED = new RegExp(
  `(${NAMED}(?:\\s{0,3}=\\s{0,3}(?:${QUOTE})?|${QUOTE}\\s{0,5}:\\s{0,5}${QUOTE}))(?!\\[redacted)${SIGN}{1,8000}`,
  'gi',
);
const OPTION = new RegExp(`((?<![\\w-])--?[\\w-]{0,40}?${NAME}[ =](?:${QUOTE})?)(?!\\[redacted)${SIGN}{3,8000}`, 'gi');
/** `name: value`, as people write it too: only what looks made up. */
const SAID = new RegExp(
  `(${NAMED}\\s{0,3}:\\s{1,3})(?=${SIGN}{0,200}[\\d!@#^*%+=])(?!\\[redacted)${SIGN}{6,8000}`,
  'gi',
);
const IN_URL = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^:/?#\s"'@]{0,200}:)[\w.~+=%!#^*?,-]{1,500}@/gi;
const LOGIN = new RegExp(`((?<![\\w-])(?:-u|--user)[ =]?(?:${QUOTE})?[\\w.@-]{1,100}:)${SIGN}{1,500}`, 'g');
/** The address of a webhook is its secret. */
const HOOK = /(\/hooks\/+)[\w%-]{20,}/gi;

const IS_SECRET_NAME = new RegExp(`(?:^|[_-]|(?<=[a-z]))(?:${NAME}|authorization|cookie)$`, 'i');
const IS_PLAIN = new RegExp(`^(?:(?:Bearer|Basic|Token)\\s+)?${SIGN}+$`, 'i');

/**
 * Secrets in a text that people are shown, such as what a tool is called with: keys by their look, headers, passwords in
 * addresses, values with a telling name. It guards against accidents, and never hides what somebody would agree to do.
 */
export function redactShown(text: string): string {
  if (text.length < 4) return text;
  return text
    .replace(PRIVATE_KEY, `$1${REDACTED}`)
    .replace(KEYS, REDACTED)
    .replace(HOOK, `$1${REDACTED}`)
    .replace(IN_URL, `$1${REDACTED}@`)
    .replace(HEADER, `$1${REDACTED}`)
    .replace(SCHEME, `$1${REDACTED}`)
    .replace(COOKIE, `$1${REDACTED}`)
    .replace(ASSIGNED, `$1${REDACTED}`)
    .replace(OPTION, `$1${REDACTED}`)
    .replace(SAID, `$1${REDACTED}`)
    .replace(LOGIN, `$1${REDACTED}`);
}

/** Whether the value of a member of this name is a secret as a whole. */
export const isShownSecret = (name: string, value: string): boolean =>
  value !== '' && IS_SECRET_NAME.test(name) && IS_PLAIN.test(value);
