import type { NodeWait } from '../states/node-state.js';
import { JsonText } from '../values/json-text.js';

const SHOWN = '***';
const NUMBER = /-?\d[\d.eE+-]*/g;
/** Shorter pieces would blot out ordinary text. */
const SHORTEST_PIECE = 6;

/**
 * Takes secret values out of what a node hands on: as they are, escaped as in JSON, XML, HTML, CSV and addresses, as
 * hexadecimal digits, and within base64 text, where they look different at each of three offsets. It guards against
 * accidents (an answer that echoes a header, an error that quotes a URL, an envelope that was written as XML), not
 * against an author who disguises the value on purpose.
 */
export class Redaction {
  /** The longest first, so that no rest of a longer one stays behind. */
  private readonly pieces: readonly string[];
  private readonly numbers: ReadonlySet<string>;

  constructor(values: Iterable<string>) {
    const secrets = [...values];
    const pieces = new Set(secrets.flatMap(variantsOf).filter((piece) => piece !== ''));
    this.pieces = [...pieces].sort((a, b) => b.length - a.length);
    this.numbers = new Set(
      secrets.filter((secret) => Number.isFinite(Number(secret))).map((one) => String(Number(one))),
    );
  }

  ofText(text: string): string {
    let shown = text;
    for (const piece of this.pieces) if (piece.length <= shown.length) shown = shown.replaceAll(piece, SHOWN);
    return shown;
  }

  /** A JSON value with every text, key and number that spells a secret replaced; the same object when there is none. */
  ofValue<T>(value: T): T {
    return this.redact(value) as T;
  }

  /** What a waiting node leaves in the database. */
  ofWait<T extends NodeWait>(wait: T): T {
    return wait.data ? { ...wait, data: this.ofValue(wait.data) } : wait;
  }

  /** Strings and numbers of the text, each by itself: it stays JSON. */
  private ofJson(json: JsonText): JsonText {
    const { text } = json;
    const pieces: string[] = [];
    let at = 0;
    while (at < text.length) {
      const open = text.indexOf('"', at);
      const end = open < 0 ? text.length : open;
      pieces.push(text.slice(at, end).replace(NUMBER, (one) => (this.isSecretNumber(one) ? `"${SHOWN}"` : one)));
      if (open < 0) break;
      let close = text.indexOf('"', open + 1);
      while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
      pieces.push(`"${this.ofText(text.slice(open + 1, close))}"`);
      at = close + 1;
    }
    const shown = pieces.join('');
    return shown === text ? json : new JsonText(shown);
  }

  private isSecretNumber(text: string): boolean {
    return this.numbers.has(String(Number(text)));
  }

  private redact(value: unknown): unknown {
    if (typeof value === 'string') return this.ofText(value);
    if (typeof value === 'number') return this.numbers.has(String(value)) ? SHOWN : value;
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof JsonText) return this.ofJson(value);
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => this.redact(item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    const before = Object.entries(value);
    const after = before.map(([key, item]): [string, unknown] => [this.ofText(key), this.redact(item)]);
    if (after.every(([key, item], index) => key === before[index]![0] && item === before[index]![1])) return value;
    return Object.fromEntries(after);
  }
}

/** Whether an odd number of backslashes stands before the place. */
function isEscaped(text: string, place: number): boolean {
  let before = place - 1;
  while (text[before] === '\\') before -= 1;
  return (place - before) % 2 === 0;
}

/** Each also as it stands in JSON text, where outputs are looked through without being read. */
function variantsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((offset) => {
    const core = base64At(bytes, offset);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const derived = [...inAddresses(secret), hex, hex.toUpperCase(), ...base64].filter(
    (piece) => piece.length >= SHORTEST_PIECE,
  );
  const inJson = jsonSpellings(secret);
  const quoted = JSON.stringify(inJson[0]).slice(1, -1);
  const written = [
    secret,
    ...inJson,
    quoted,
    ...inMarkup(secret),
    secret.replaceAll('"', '""'),
    secret.replaceAll("'", "''"),
  ];
  return [...new Set([...written, ...derived])].flatMap((piece) => [piece, ...jsonSpellings(piece)]);
}

/** Percent-encoded: whole, as in a form, and where an address leaves some signs as they are. */
function inAddresses(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  const strict = percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const address = new URL('https://host');
  address.pathname = `/${secret}`;
  address.search = secret;
  address.hash = secret;
  address.password = secret;
  const { pathname, search, hash, password } = address;
  const whole = [percent, strict, encodeURI(secret), pathname.slice(1), search.slice(1), hash.slice(1), password];
  return [...new Set(whole)].flatMap((text) => [
    text,
    text.replaceAll('%20', '+'),
    text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

/** Within quotes, with what some writers escape beyond need: slashes, and all that is not ASCII. */
function jsonSpellings(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [plain, ascii].flatMap((one) => [one, one.replaceAll('/', String.raw`\/`)]);
}

/** What writers of XML and HTML make of quotes: some leave one or both of them. */
const QUOTES = ['"', '&quot;', '&#34;', '&#x22;'];
const APOSTROPHES = ["'", '&apos;', '&#39;', '&#x27;'];

function inMarkup(secret: string): string[] {
  const named = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const numbered = secret.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return [
    numbered,
    ...QUOTES.flatMap((quote) =>
      APOSTROPHES.map((apostrophe) => named.replaceAll('"', quote).replaceAll("'", apostrophe)),
    ),
  ];
}

/** The characters of base64 text that the bytes alone decide, when `offset` other bytes (modulo 3) come before them. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
}
