import type { OfficeContentNode } from 'officeparser';

type Rendered = { text: string; inline: boolean };

/** Text of one node and what it holds, as a person would copy it: a table row is one line, ` | ` between its cells. */
export function renderNode(node: OfficeContentNode): string {
  return render(node).text;
}

export function renderNodes(nodes: readonly OfficeContentNode[]): string {
  let text = '';
  let before: OfficeContentNode['type'] | null = null;
  let afterBlock = false;
  for (const node of nodes) {
    const rendered = render(node);
    if (rendered.text === '') continue;
    if (text !== '' && (afterBlock || !rendered.inline)) {
      text += node.type === before && (node.type === 'list' || node.type === 'row') ? '\n' : '\n\n';
    }
    text += rendered.text;
    before = node.type;
    afterBlock = !rendered.inline;
  }
  return text;
}

function render(node: OfficeContentNode): Rendered {
  switch (node.type) {
    case 'text':
      return { text: node.text ?? '', inline: true };
    case 'break':
      return { text: '\n', inline: true };
    case 'table':
      return block(renderTable(node.children ?? []));
    case 'list':
      return block(renderListItem(node));
    case 'comment':
    case 'image':
    case 'slideMaster':
      return block('');
    default:
      return block(withNotes(node, node.children?.length ? renderNodes(node.children) : (node.text ?? '')));
  }
}

function block(text: string): Rendered {
  return { text, inline: false };
}

function renderTable(rows: readonly OfficeContentNode[]): string {
  return rows
    .map((row) => (row.children ?? []).map((cell) => oneLine(renderNodes(cell.children ?? []) || (cell.text ?? ''))))
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map((cells) => cells.join(' | '))
    .join('\n');
}

function renderListItem(node: OfficeContentNode & { type: 'list' }): string {
  const text = withNotes(node, renderNodes(node.children ?? []) || (node.text ?? ''));
  if (text.trim() === '') return '';
  const { listType, itemIndex, indentation } = node.metadata ?? {};
  const mark = listType === 'ordered' ? `${(itemIndex ?? 0) + 1}.` : '-';
  return `${'  '.repeat(Math.min(indentation ?? 0, 8))}${mark} ${text}`;
}

/** Footnotes follow the paragraph that refers to them; they hang on the words before their mark, if there are any. */
function withNotes(node: OfficeContentNode, text: string): string {
  if (node.type === 'slide') return text;
  const words = (node.children ?? []).filter(({ type }) => type === 'text');
  const notes = [node, ...words].flatMap((holder) => holder.notes ?? []);
  return [text, ...notes.map((note) => `(${oneLine(renderNodes(note.children ?? []) || (note.text ?? ''))})`)].join(
    '\n',
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
