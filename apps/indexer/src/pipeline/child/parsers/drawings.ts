import { childOf, childrenOf, findAll, textOf, type MarkupElement } from '../markup/element.js';
import { officeFormula } from '../markup/formula.js';
import { withRaised } from '../markup/inline-text.js';

/** In hundredths of a point. */
const SPECK = 100;

/** Text of the boxes and shapes in a DrawingML part, a paragraph on each line. */
export function drawingText(part: MarkupElement): string {
  return findAll(part, 'a:p')
    .map((paragraph) => paragraphText(paragraph).trim())
    .filter((text) => text !== '')
    .join('\n');
}

/** Words of one paragraph; its breaks are line feeds. @param isUnseen tells of its runs whether they are left out */
export function paragraphText(
  paragraph: MarkupElement,
  isUnseen: (run: MarkupElement) => boolean = () => false,
): string {
  return findAll(paragraph, 'a:r', 'a:t', 'a:br', 'm:oMath')
    .filter((part) => part.name !== 'a:r' || !(isSpeck(part) || isUnseen(part)))
    .reduce((text, part) => {
      if (part.name === 'a:br') return `${text}\n`;
      if (part.name === 'm:oMath') return text + officeFormula(part, () => false);
      if (part.name !== 'a:r') return text + textOf(part);
      const words = findAll(part, 'a:t').map(textOf).join('');
      return isRaised(part) ? withRaised(text, words) : text + words;
    }, '');
}

function isRaised(run: MarkupElement): boolean {
  return Number(childOf(run, 'a:rPr')?.attributes['baseline'] ?? 0) > 0;
}

/** Letters of one point and less: nobody reads them. */
function isSpeck(run: MarkupElement): boolean {
  const size = childOf(run, 'a:rPr')?.attributes['sz'];
  return size !== undefined && Number(size) <= SPECK;
}

/** What a diagram says, a shape on each line. */
export function diagramText(part: MarkupElement): string {
  return drawingText(part);
}

/** What a chart says: its titles, then each series with its values by category. */
export function chartText(part: MarkupElement): string {
  const series = findAll(part, 'c:ser').map(seriesText);
  return [drawingText(part), ...series].filter((text) => text !== '').join('\n');
}

function seriesText(series: MarkupElement): string {
  const [names, categories, values] = [['c:tx'], ['c:cat', 'c:xVal'], ['c:val', 'c:yVal']].map((parts) =>
    childrenOf(series, ...parts).flatMap((part) => findAll(part, 'c:v').map(textOf)),
  ) as [string[], string[], string[]];
  const count = Math.max(categories.length, values.length);
  const points = Array.from({ length: count }, (_, n) => [categories[n], values[n]].filter(Boolean).join(' '));
  return [names.join(' '), points.join('; ')].filter((text) => text !== '').join(': ');
}
