import type { NodeWait } from '../states/node-state.js';
import { JsonText } from '../values/json-text.js';

const SHOWN = '***';
const NUMBER = /-?\d[\d.eE+-]*/g;
/** Shorter pieces would blot out ordinary text. */
const SHORTEST_PIECE = 6;

/**
 * Takes secret values out of what a node hands on: as they are, escaped as in JSON, percent-encoded, as hexadecimal
 * digits, and within base64 text, where they look different at each of three offsets. It guards against accidents (an
 * answer that echoes a header, an error that quotes a URL), not against an author who disguises the value on purpose.
 */
export class Redaction {
  private readonly pattern: RegExp;
  private readonly numbers: ReadonlySet<string>;

  constructor(values: Iterable<string>) {
    const secrets = [...values];
    const pieces = new Set(secrets.flatMap(variantsOf).filter((piece) => piece !== ''));
    // The longest first, so that no rest of a longer one stays behind.
    const sorted = [...pieces].sort((a, b) => b.length - a.length);
    this.pattern = new RegExp(sorted.map(escaped).join('|') || '$^', 'g');
    this.numbers = new Set(
      secrets.filter((secret) => Number.isFinite(Number(secret))).map((one) => String(Number(one))),
    );
  }

  ofText(text: string): string {
    return text.replace(this.pattern, SHOWN);
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

function variantsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret);
  const strict = percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [percent, strict].flatMap((text) => [
    text,
    text.replaceAll('%20', '+'),
    text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((offset) => {
    const core = base64At(bytes, offset);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const derived = [...encoded, hex, hex.toUpperCase(), ...base64].filter((piece) => piece.length >= SHORTEST_PIECE);
  return [secret, JSON.stringify(secret).slice(1, -1), ...derived];
}

/** The characters of base64 text that the bytes alone decide, when `offset` other bytes (modulo 3) come before them. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
