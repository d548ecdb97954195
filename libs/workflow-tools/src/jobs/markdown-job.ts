import { marked } from 'marked';
import sanitizeHtml from 'sanitize-html';

const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [...sanitizeHtml.defaults.allowedTags, 'img', 'del', 'input'],
  allowedAttributes: {
    ...sanitizeHtml.defaults.allowedAttributes,
    img: ['src', 'alt', 'title', 'width', 'height'],
    code: ['class'],
    ol: ['start'],
    th: ['align'],
    td: ['align'],
    input: ['type', 'checked', 'disabled'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
};

/** GitHub's Markdown as HTML without scripts, styles and addresses that run something. */
export function renderMarkdown({ text, lineBreaks }: { text: string; lineBreaks: boolean }): string {
  return sanitizeHtml(marked.parse(text, { async: false, gfm: true, breaks: lineBreaks }), ALLOWED);
}
