import { ExtractionError } from '../../extraction-error.js';
import { element, type Look, type MarkupElement } from './element.js';

/** An element costs some 150 bytes, of which a reading process has few hundred million. */
const MAX_ELEMENTS = 1_000_000;
/** What is nested deeper belongs to its ancestor at this depth: its text is kept, and no reader runs out of stack. */
const MAX_DEPTH = 200;

/** Notes what an element of a skipped one, or the skipped one itself, says of the look of the element that it belongs to. */
export type NoteLook = (look: Look, name: string, attributes: Readonly<Record<string, string>>) => void;

/** Grows a tree out of what a streaming parser reports, within bounds. */
export class TreeBuilder {
  readonly root = element('');
  private readonly path: MarkupElement[] = [this.root];
  /** How many elements are open. */
  depth = 0;
  private elements = 0;
  private skippedFrom = 0;

  /**
   * @param skipped elements that are left out with all that they hold
   * @param noteLook is told of skipped elements and of what stands directly in them
   * @param take is given each element that is complete; what it takes is forgotten, for files that no memory holds whole
   */
  constructor(
    private readonly skipped: ReadonlySet<string>,
    private readonly noteLook: NoteLook = () => undefined,
    private readonly take: (complete: MarkupElement, ancestors: readonly MarkupElement[]) => boolean = () => false,
  ) {}

  /** @throws ExtractionError `too_large` for a tree of more than a million elements */
  open(name: string, attributes: Readonly<Record<string, string>> | undefined): void {
    this.depth += 1;
    if (this.skippedFrom > 0) {
      if (this.depth === this.skippedFrom + 1) this.note(name, attributes);
      return;
    }
    if (this.skipped.has(name)) {
      this.skippedFrom = this.depth;
      this.note(name, attributes);
      return;
    }
    this.elements += 1;
    if (this.elements > MAX_ELEMENTS)
      throw new ExtractionError('too_large', 'The file is too complex to be read. Split it.');
    if (this.depth >= MAX_DEPTH) return;
    const opened = element(name, attributes);
    this.path.at(-1)?.children.push(opened);
    this.path.push(opened);
  }

  close(): void {
    if (this.skippedFrom === 0 && this.depth < MAX_DEPTH) {
      const complete = this.path.pop();
      if (complete && this.take(complete, this.path)) {
        this.path.at(-1)?.children.pop();
        this.elements = 0;
      }
    }
    if (this.skippedFrom === this.depth) this.skippedFrom = 0;
    this.depth -= 1;
  }

  private note(name: string, attributes: Readonly<Record<string, string>> = {}): void {
    const owner = this.path.at(-1);
    if (owner === undefined) return;
    const look = owner.look ?? {};
    this.noteLook(look, name, attributes);
    if (owner.look === undefined && Object.keys(look).length > 0) owner.look = look;
  }

  text(text: string): void {
    if (this.skippedFrom > 0 || text === '') return;
    const siblings = this.path.at(-1)?.children ?? [];
    const before = siblings.at(-1);
    if (typeof before === 'string') siblings[siblings.length - 1] = before + text;
    else siblings.push(text);
  }
}
