const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text of the boxes and shapes in a DrawingML part, a paragraph on each line. */
export function drawingText(xml: string): string {
  return elements(xml, 'a:p')
    .map((paragraph) => elements(paragraph, 'a:t').map(decode).join('').trim())
    .filter((text) => text !== '')
    .join('\n');
}

/** What a chart says: its titles, then each series with its values by category. */
export function chartText(xml: string): string {
  const series = elements(xml, 'c:ser').map(seriesText);
  return [drawingText(xml), ...series].filter((text) => text !== '').join('\n');
}

function seriesText(series: string): string {
  const [names, categories, values] = [['c:tx'], ['c:cat', 'c:xVal'], ['c:val', 'c:yVal']].map((parts) =>
    parts.flatMap((part) => elements(series, part)).flatMap((part) => elements(part, 'c:v').map(decode)),
  ) as [string[], string[], string[]];
  const count = Math.max(categories.length, values.length);
  const points = Array.from({ length: count }, (_, n) => [categories[n], values[n]].filter(Boolean).join(' '));
  return [names.join(' '), points.join('; ')].filter((text) => text !== '').join(': ');
}

/** The insides of elements that do not hold their like: in one pass, also through what is no XML. */
function elements(xml: string, name: string): string[] {
  const found: string[] = [];
  const [open, close] = [`<${name}`, `</${name}>`];
  for (let at = xml.indexOf(open); at !== -1; at = xml.indexOf(open, at)) {
    at += open.length;
    if (xml[at] !== '>' && xml[at] !== ' ') continue;
    const start = xml.indexOf('>', at) + 1;
    if (start > 0 && xml[start - 2] === '/') continue;
    const end = start === 0 ? -1 : xml.indexOf(close, start);
    if (end === -1) break;
    found.push(xml.slice(start, end));
    at = end;
  }
  return found;
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[String(name)] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
