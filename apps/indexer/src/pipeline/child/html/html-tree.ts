import { Parser } from 'htmlparser2';
import { ExtractionError } from '../../extraction-error.js';
import type { MarkupElement } from '../markup/element.js';
import { TreeBuilder } from '../markup/tree-builder.js';
import { shownOf } from './shown.js';

/** What no reader sees. Style sheets say what else is not seen. */
const UNSEEN = new Set(['script', 'template', 'noframes', 'object', 'applet', 'iframe', 'datalist']);
const CHUNK = 256 * 1024;
/** The parser moves its whole stack for each element. */
const MAX_OPEN = 10_000;

/**
 * A page as a tree, as browsers would read and show it.
 * @param sheetAt the style sheet that a page refers to, where it is at hand
 * @throws ExtractionError `too_large`
 */
export function parseHtml(html: string, sheetAt?: (href: string) => string | undefined): MarkupElement {
  const builder = new TreeBuilder(UNSEEN);
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (builder.depth > MAX_OPEN) throw new ExtractionError('too_large', 'The file is nested too deeply to be read.');
      builder.open(name, attributes);
    },
    onclosetag: () => builder.close(),
    ontext: (text) => builder.text(text),
  });
  for (let at = 0; at < html.length; at += CHUNK) parser.write(html.slice(at, at + CHUNK));
  parser.end();
  return shownOf(builder.root, sheetAt);
}
