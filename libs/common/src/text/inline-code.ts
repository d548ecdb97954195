/** What makes it uncertain where code between backticks begins: escapes, tables, formulas, brackets, tags, other backticks. */
const ODD = /[`\\|$[\]{}<]/;
/** So often in a row, they may begin or end a block in a place that is not looked at. */
const SIGNS_OF_BLOCKS: Readonly<Record<string, number>> = { '`': 3, '~': 3, $: 2 };
/** Behind anything else the backtick may belong to an address. */
const BEFORE_CODE = /^[("'*_~]*$/;
/** A link, or text in brackets, that holds nothing that could make it another one. */
const LINK = /^\[[^[\]`<>\\!|$&{}\r\n]*\](?:\([^\s()<>`"'\\|!$[\]{}]*\))?(?![[(:])/;
const OPEN_LINK = /^\[[^[\]`<>\\!|$&{}\r\n]*(?:\](?:\([^\s()<>`"'\\|!$[\]{}]*\)?)?)?$/;

/** How many characters are one piece; 0: it is none. Null: it takes more text. */
type Length = number | null;

/**
 * Knows of a text in Markdown, as it comes, what every renderer takes for code between backticks: within a line, in a
 * paragraph that holds nothing odd before. Where it could be otherwise it is not code.
 */
export class InlineCode {
  /** Since the last blank line nothing came that renderers read differently. */
  private isPlain = true;
  /** No tags, formulas and fences that may hold paragraphs and more, and no line ends that some renderers do not take for such. */
  private trusts = true;
  private isBlankLine = true;
  /** The end of the text since the last white space. */
  private token = '';
  /** What came last, and how often in a row. */
  private sign = '';
  private times = 0;

  /** Whether it is still certain what is a block of its own. */
  get isTrusted(): boolean {
    return this.trusts;
  }

  /** @param isCertain what is told is code or a link as a whole */
  passOver(text: string, isCertain: boolean): void {
    for (const sign of text) {
      if (this.sign === '\r' && sign !== '\n') this.trusts = false;
      this.times = sign === this.sign ? this.times + 1 : 1;
      this.sign = sign;
      if (!isCertain && this.times >= (SIGNS_OF_BLOCKS[sign] ?? Infinity)) this.trusts = false;
      if (sign === '\n') {
        if (this.isBlankLine) this.isPlain = true;
        this.isBlankLine = true;
      } else if (sign !== ' ' && sign !== '\t' && sign !== '\r') this.isBlankLine = false;
    }
    if (!isCertain && ODD.test(text)) this.isPlain = false;
    this.token = /\S{0,9}$/.exec(this.token + text)![0];
  }

  /** A tag begins here: what it holds may be no paragraph any more. */
  distrust(): void {
    this.trusts = false;
  }

  /** At a backtick. @param isWhole no more text is looked at */
  codeAt(rest: string, isWhole: boolean): Length {
    if (!this.trusts || !this.isPlain || !BEFORE_CODE.test(this.token)) return 0;
    const end = rest.search(/[\r\n]/);
    const line = end < 0 ? rest : rest.slice(0, end);
    const isOpen = end < 0 && !isWhole;
    const [first, ...others] = [...line.matchAll(/`+/g)];
    const closing = others.find(([marks]) => marks.length === first![0].length);
    const length = closing ? closing.index + closing[0].length : line.length;
    // It may go on with more backticks.
    if (isOpen && length === line.length) return null;
    return closing && !line.slice(0, length).includes('|') ? length : 0;
  }

  /** At a bracket. @param isWhole no more text is looked at */
  linkAt(rest: string, isWhole: boolean): Length {
    if (!this.trusts || !this.isPlain) return 0;
    if (!isWhole && OPEN_LINK.test(rest)) return null;
    const link = LINK.exec(rest)?.[0];
    if (link === undefined) return 0;
    return link.length === rest.length && !isWhole ? null : link.length;
  }
}
