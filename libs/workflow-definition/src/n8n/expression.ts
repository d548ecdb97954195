/** A part of an n8n parameter: text, or the JavaScript between double braces. */
export type Segment = { text: string } | { js: string };

/** Whose items an expression reads: `null` is the node's own input. */
export interface PathExpression {
  node: string | null;
  path: string[];
}

/** n8n marks a parameter that holds expressions by a leading equals sign. */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('=');
}

/** `=Hello {{ $json.name }}!` as its parts. Braces inside of the JavaScript are counted, strings are skipped over. */
export function parseSegments(value: string): Segment[] {
  const text = value.slice(1);
  const segments: Segment[] = [];
  let literal = 0;
  // Once braces or quotes did not fit together they are not counted any more, so that no text is read many times.
  let isCounted = true;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', literal)) {
    const counted: number = isCounted ? endOfJs(text, open + 2) : -1;
    isCounted &&= counted >= 0;
    const end = counted >= 0 ? counted : text.indexOf('}}', open + 2);
    if (end < 0) break;
    if (open > literal) segments.push({ text: text.slice(literal, open) });
    segments.push({
      js: text
        .slice(open + 2, end)
        .trim()
        .replace(/[;\s]+$/, ''),
    });
    literal = end + 2;
  }
  if (literal < text.length) segments.push({ text: text.slice(literal) });
  return segments;
}

function endOfJs(text: string, start: number): number {
  let depth = 0;
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at]!;
    if (quote !== '') {
      if (sign === '\\') at += 1;
      else if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'" || sign === '`') quote = sign;
    else if (sign === '{') depth += 1;
    else if (sign === '}' && depth > 0) depth -= 1;
    else if (sign === '}' && text[at + 1] === '}') return at;
  }
  // A lone quote in a comment or a regular expression hides it.
  return -1;
}

const STRING = String.raw`(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')`;
const ROOTS: [RegExp, (match: RegExpExecArray) => { node: string | null; index: string[] }][] = [
  [/^\$json(?![\w$])/, () => ({ node: null, index: [] })],
  [/^\$input\.(?:item|first\(\))\.json(?![\w$])/, () => ({ node: null, index: [] })],
  [
    new RegExp(String.raw`^\$\(\s*${STRING}\s*\)\.(?:item|first\(\)|all\(\)\[0\])\.json(?![\w$])`),
    (match) => ({ node: unescape(match[1] ?? match[2]!), index: [] }),
  ],
  [
    new RegExp(String.raw`^\$node\[\s*${STRING}\s*\]\.json(?![\w$])`),
    (match) => ({ node: unescape(match[1] ?? match[2]!), index: [] }),
  ],
  [/^\$node\.([\w$]+)\.json(?![\w$])/, (match) => ({ node: match[1]!, index: [] })],
  [
    new RegExp(String.raw`^\$items\(\s*${STRING}\s*\)\[0\]\.json(?![\w$])`),
    (match) => ({ node: unescape(match[1] ?? match[2]!), index: [] }),
  ],
];
const STEP = new RegExp(String.raw`^(?:\??\.([A-Za-z_$][\w$]*)|(?:\?\.)?\[\s*(?:${STRING}|(\d+))\s*\])`);

/** `$json.a["b c"][0]` and its like; null for anything that has to be computed. */
export function parsePathExpression(js: string): PathExpression | null {
  const text = js.replace(/;\s*$/, '').trim();
  for (const [pattern, read] of ROOTS) {
    const root = pattern.exec(text);
    if (!root) continue;
    const path: string[] = [];
    let rest = text.slice(root[0].length);
    while (rest !== '') {
      const step = STEP.exec(rest);
      // A length is computed, and what is called is a method.
      if (!step || step[1] === 'length' || rest[step[0].length] === '(') return null;
      path.push(step[1] ?? step[4] ?? unescape(step[2] ?? step[3] ?? ''));
      rest = rest.slice(step[0].length);
    }
    return { node: read(root).node, path };
  }
  return null;
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

/** Other nodes that a piece of JavaScript reads by name. */
export function nodesReadBy(js: string): string[] {
  const found = new Set<string>();
  const patterns = [
    new RegExp(String.raw`\$\(\s*${STRING}\s*\)`, 'g'),
    new RegExp(String.raw`\$node\[\s*${STRING}\s*\]`, 'g'),
    new RegExp(String.raw`\$items\(\s*${STRING}`, 'g'),
  ];
  for (const pattern of patterns)
    for (const match of js.matchAll(pattern)) found.add(unescape(match[1] ?? match[2] ?? ''));
  for (const match of js.matchAll(/\$node\.([\w$]+)/g)) found.add(match[1]!);
  return [...found];
}

/** Nodes of which a piece of JavaScript reads the item that its own one came from. */
export function pairsReadBy(js: string): string[] {
  const pattern = new RegExp(String.raw`\$\(\s*${STRING}\s*\)\s*\.(?:item(?![\w$])|pairedItem\()`, 'g');
  return [...new Set([...js.matchAll(pattern)].map((match) => unescape(match[1] ?? match[2] ?? '')))];
}

const MISSING =
  /\$(?:env|vars|secrets|jmespath|fromAI|getWorkflowStaticData|binary|prevNode|request|response|pageCount|evaluateExpression|getPairedItem)\b|(?<![\w$.])(?:Duration|Interval|require|Buffer|fetch|URL|URLSearchParams|TextEncoder|TextDecoder|Blob|FormData|AbortController|Intl|Temporal|atob|btoa|crypto|performance|process|queueMicrotask|setImmediate|setInterval|setTimeout|structuredClone)\b(?=\s*[.(])|\bthis\.helpers\b|\.(?:hash|removeMarkdown|replaceSpecialChars|renameKeys|setZone|setLocale|toLocaleString|toLocaleDateString|toLocaleTimeString|toRelative)\(/g;

/** What n8n has and a script here does not. */
export function missingIn(js: string): string[] {
  return [...new Set(js.match(MISSING) ?? [])].map((name) => name.replace(/^\.|\($/g, ''));
}
