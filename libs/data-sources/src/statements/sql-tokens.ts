import { SourceFailure } from '../shapes/source-failure.js';
import type { DatabaseType } from '../shapes/source-shapes.js';

export type TokenKind = 'space' | 'word' | 'name' | 'text' | 'number' | 'placeholder' | 'symbol';

export interface SqlToken {
  /** `name`: quoted. `space`: blanks and comments. */
  kind: TokenKind;
  /** As it is written; of a placeholder its name alone, of a comment one blank. */
  text: string;
  /** Of words and quoted names what they name, in lower case. */
  named: string;
  /** Of a text: a backslash takes away the meaning of the next character. */
  escapes?: boolean;
}

const STARTS_WORD = /[A-Za-z_\u0080-\uffff]/;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const CONTINUES_WORD = /[\w\u0080-\uffff]/;
/** Behind which MySQL may go on with a word at once: `1e1into`. What it reads as one name (`2024_sales`) is two pieces here. */
const MYSQL_NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const POSTGRES_NUMBER =
  /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.(?:\d[\d_]*)?)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?/y;
/** Those of the databases: a blank of Unicode is a letter to them. */
const BLANKS = /[ \t\n\r]+/y;
const CONTROL = /\p{Cc}/u;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const PLACEHOLDER = /:([A-Za-z_]\w*)(?![\w$\u0080-\uffff])/y;
/** Behind one of these a colon parts two things, such as the ends of a slice. */
const ENDS_OPERAND = /[\w$"'`\])}\u0080-\uffff]/;

const refused = (message: string) => new SourceFailure('query_refused', message);

/**
 * The pieces of a statement, by the dialect's rules of texts, quoted names and comments. Comments become blanks: those of
 * MySQL may be statements, and hints change the limits that a session set.
 * @throws SourceFailure (`query_refused`) for what does not end, and for what would be read differently elsewhere
 */
export function tokenize(sql: string, dialect: DatabaseType): SqlToken[] {
  return new Tokenizer(sql, dialect === 'mysql').all();
}

class Tokenizer {
  private at = 0;
  private readonly tokens: SqlToken[] = [];

  constructor(
    private readonly sql: string,
    private readonly isMysql: boolean,
  ) {}

  all(): SqlToken[] {
    if (this.sql.includes('\0')) throw refused('A statement has no null characters.');
    while (this.at < this.sql.length) this.next();
    return this.tokens;
  }

  private next(): void {
    const { sql, at, isMysql } = this;
    const character = sql[at]!;
    const blanks = this.match(BLANKS);
    if (blanks) return this.add('space', blanks[0].length, blanks[0]);
    if (this.startsLineComment()) return this.add('space', this.lengthTo(/[\n\r]/g), ' ');
    if (sql.startsWith('/*', at)) return this.comment();
    if (character === "'" || (isMysql && character === '"')) return this.quoted('text', character, isMysql);
    if (character === '"' || (isMysql && character === '`')) return this.quoted('name', character, false);
    if (!isMysql && character === '$') return this.dollar();
    if (STARTS_WORD.test(character)) return this.word();
    if (/[\d.]/.test(character) && this.number()) return;
    if (sql.startsWith('::', at) || sql.startsWith(':=', at)) return this.add('symbol', 2);
    if (character === ':' && !ENDS_OPERAND.test(sql[at - 1] ?? '')) {
      const placeholder = this.match(PLACEHOLDER);
      if (placeholder) return this.add('placeholder', placeholder[0].length, placeholder[1]!.toLowerCase());
    }
    if (isMysql && character === '?')
      throw refused('Write a parameter as :name, with the name by which it is declared.');
    if (CONTROL.test(character)) throw refused('Control characters stand in texts alone.');
    // To MariaDB, \N is a word of its own, whatever follows.
    if (character === '\\') throw refused('A backslash stands in texts alone.');
    this.add('symbol', 1);
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.sql);
  }

  private add(kind: TokenKind, length: number, text = this.sql.slice(this.at, this.at + length), named = ''): void {
    this.tokens.push({ kind, text, named });
    this.at += length;
  }

  /** In MySQL two hyphens begin a comment before a blank and a control character alone. */
  private startsLineComment(): boolean {
    const { sql, at, isMysql } = this;
    if (!isMysql) return sql.startsWith('--', at);
    if (!sql.startsWith('--', at)) return sql[at] === '#';
    const behind = sql.charCodeAt(at + 2);
    return Number.isNaN(behind) || behind <= 32 || behind === 127;
  }

  private lengthTo(end: RegExp): number {
    end.lastIndex = this.at;
    const found = end.exec(this.sql);
    return (found ? found.index : this.sql.length) - this.at;
  }

  /** Nested in Postgres alone. */
  private comment(): void {
    const { sql, at, isMysql } = this;
    if (isMysql && /^\/\*M?!/i.test(sql.slice(at, at + 4)))
      throw refused('Comments that are run as statements (/*! */) are not allowed.');
    let depth = 0;
    let end = at;
    do {
      const open = isMysql && depth > 0 ? -1 : sql.indexOf('/*', end);
      const close = sql.indexOf('*/', depth === 0 ? end + 2 : end);
      if (close < 0) throw refused('A comment does not end.');
      const opens = open >= 0 && open < close;
      depth += opens ? 1 : -1;
      end = (opens ? open : close) + 2;
    } while (depth > 0);
    this.add('space', end - at, ' ');
  }

  /** A quote that is doubled is one of the text; so is one behind a backslash where these escape. */
  private quoted(kind: 'text' | 'name', quote: string, escapes: boolean, prefix = 0): void {
    const { sql, at } = this;
    let end = at + prefix + 1;
    for (;;) {
      if (end >= sql.length) throw refused(kind === 'text' ? 'A text does not end.' : 'A quoted name does not end.');
      if (escapes && sql[end] === '\\') end += 2;
      else if (sql[end] !== quote) end += 1;
      else if (sql[end + 1] === quote) end += 2;
      else break;
    }
    if (kind === 'text') this.requireOnePiece(escapes);
    const whole = sql.slice(at, end + 1);
    const inner = whole.slice(prefix + 1, -1).replaceAll(quote + quote, quote);
    this.add(kind, whole.length, whole, kind === 'name' ? inner.toLowerCase() : '');
    if (kind === 'text') this.tokens.at(-1)!.escapes = escapes;
  }

  /** To Postgres a text in the next line is the rest of the one before, and is read as that one is. */
  private requireOnePiece(escapes: boolean): void {
    if (this.isMysql || escapes) return;
    if (this.tokens.findLast(({ kind }) => kind !== 'space')?.escapes) throw refused('Write a text in one piece.');
  }

  /** Whether there is one. Where Postgres goes on with a word behind it, its releases differ. */
  private number(): boolean {
    const number = this.match(this.isMysql ? MYSQL_NUMBER : POSTGRES_NUMBER);
    if (!number) return false;
    this.add('number', number[0].length);
    if (!this.isMysql && CONTINUES_WORD.test(this.sql[this.at] ?? ''))
      throw refused('Between a number and a word there is a blank.');
    return true;
  }

  /** Behind a name, too: Postgres takes "type"$$text$$. Within a word it is a part of that. */
  private dollar(): void {
    const tag = this.match(DOLLAR_TAG);
    if (!tag) {
      if (/\d/.test(this.sql[this.at + 1] ?? ''))
        throw refused('Write a parameter as :name, with the name by which it is declared.');
      return this.add('symbol', 1);
    }
    const end = this.sql.indexOf(tag[0], this.at + tag[0].length);
    if (end < 0) throw refused('A text does not end.');
    this.add('text', end + tag[0].length - this.at);
  }

  private word(): void {
    const [word] = this.match(WORD)!;
    const follows = this.sql[this.at + word.length];
    if (!this.isMysql && follows === "'" && /^[ebxn]$/i.test(word))
      return this.quoted('text', "'", /^e$/i.test(word), word.length);
    if (!this.isMysql && /^u$/i.test(word) && /^&["']/.test(this.sql.slice(this.at + 1, this.at + 3)))
      throw refused('Names and texts with Unicode escapes (U&) are not allowed. Write the characters themselves.');
    this.add('word', word.length, word, word.toLowerCase());
  }
}
