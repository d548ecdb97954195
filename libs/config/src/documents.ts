import { listSettings } from './load.js';

const escapeCell = (text: string) => text.replaceAll('|', '\\|');

/** The settings as a Markdown table, for docs/settings.md. */
export function settingsTable(): string {
  const rows = listSettings().map(({ env, fallback, description, file }) => {
    const preset = fallback === null ? '' : fallback === '' ? 'empty' : `\`${fallback}\``;
    const name = file === null ? `\`${env}\`` : `\`${env}\` or \`${file}\``;
    return `| ${name} | ${preset} | ${escapeCell(description)}. |`;
  });
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The settings as docker/env.example: a line each, those with a default commented out. */
export function settingsEnvFile(): string {
  const lines = listSettings().map(({ env, fallback, description, file }) => {
    const value = fallback === null ? `${env}=` : `# ${env}=${fallback}`;
    const instead = file === null ? '' : ` ${file} may name a file that holds it.`;
    return `# ${description}.${instead}\n${value}\n`;
  });
  return `# Every setting of Atrium. Written by \`npm run settings\`; a test compares it with libs/config.\n\n${lines.join('\n')}`;
}

const BEGIN = '<!-- settings: written by npm run settings -->';
const END = '<!-- end of settings -->';

/** A page with the table between its two marks replaced. @throws when the marks are missing. */
export function withSettingsTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/settings.md needs the lines ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin)}${BEGIN}\n${settingsTable()}\n${page.slice(end)}`;
}
