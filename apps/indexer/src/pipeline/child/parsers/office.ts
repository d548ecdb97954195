import { readFile } from 'node:fs/promises';
import { parseOffice, type OfficeContentNode } from 'officeparser';
import { readWordFile } from '../docx/word-file.js';
import { emitWithExtras } from '../markup/extra-pages.js';
import { pagesOf } from '../markup/blocks.js';
import { openOdf } from '../odf/odf-file.js';
import type { Parser } from '../parser.js';
import { renderNode, renderNodes } from './office-nodes.js';
import { readableRtf } from './rtf-words.js';

/** DOCX and DOCM: its body page by page, then headers, footers and comments. Macros are never looked at. */
export const parseWord: Parser = async (request, sink) => {
  const { pages, extra } = await readWordFile(await readFile(request.path));
  await emitWithExtras(sink, pages, extra);
};

/** ODT likewise. */
export const parseOpenDocumentText: Parser = async (request, sink) => {
  const { body, text, headersAndFooters } = await openOdf(await readFile(request.path));
  const pages = pagesOf(text.blocks(body));
  await emitWithExtras(sink, pages, { headersAndFooters, comments: text.comments });
};

/** RTF through officeparser's tree, likewise. */
export const parseRtf: Parser = async (request, sink) => {
  const bytes = await readFile(request.path);
  const readable = Buffer.from(readableRtf(bytes.toString('latin1')), 'latin1');
  const { content, auxiliary } = await parseOffice(readable, { fileType: 'rtf' });
  const margins = [...(auxiliary?.headers ?? []), ...(auxiliary?.footers ?? [])];
  await emitWithExtras(sink, [renderNodes(content)], {
    headersAndFooters: margins.map((node) => ({ kind: 'paragraph', text: renderNode(node) })),
    comments: content.flatMap(commentsOf),
  });
};

function commentsOf(node: OfficeContentNode): string[] {
  const own = (node.comments ?? []).map((comment) => {
    const author = comment.type === 'comment' ? (comment.metadata?.author ?? '') : '';
    const said = renderNodes(comment.children ?? []) || (comment.text ?? '');
    return author === '' || said.trim() === '' ? said : `${author}: ${said}`;
  });
  return [...own.filter((said) => said.trim() !== ''), ...(node.children ?? []).flatMap(commentsOf)];
}
