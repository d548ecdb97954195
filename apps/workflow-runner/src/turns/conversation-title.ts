const MAX_TITLE = 80;
const LABEL = /^(?:title|titel|titre|título|titolo|العنوان)\s*[:：-]\s*/iu;
const EMPHASIS = /(\*{1,2})(\S(?:[^*]*\S)?)\1/g;
const AROUND = /^["'“„«*#_`\s]+|["'”“»*._`\s]+$/g;

/**
 * What a model wrote when it was asked for a title and nothing else. Small ones say what it is before ("Title: …", "Here
 * is a title:"), or set it off.
 * @returns empty where nothing is left
 */
export function toTitle(text: string): string {
  const lines = text
    .replaceAll('\0', '')
    .split('\n')
    .map((line) => bare(line.replace(/\s+/g, ' ')));
  const title = lines.find((line) => line !== '' && !/[:：]$/.test(line)) ?? '';
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).toWellFormed()}…` : title;
}

function bare(line: string): string {
  const plain = line.replace(EMPHASIS, '$2').replace(AROUND, '');
  return plain.replace(LABEL, '').replace(AROUND, '');
}
