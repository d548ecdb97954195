// Whether text is lost on the way into the index: every construct of the office formats, and old encodings by detection.
import '../support/typescript.mjs';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { SENTENCES, SHORT_WESTERN } from '../corpora/encodings.mjs';

const child = '../../../apps/indexer/dist/pipeline/child';
const { constructsFiles } = await import('../../fixtures/documents/constructs.ts');
const { parserFor } = await import(`${child}/parser.js`);
const { PageSender } = await import(`${child}/page-sender.js`);
const { decodeText } = await import(`${child}/decode-text.js`);

const ALWAYS = ['utf8', 'utf16-le', 'utf16-be'];

export async function run(bars) {
  for (const file of constructsFiles()) {
    const text = await textOf(file);
    const lost = file.seen.filter((word) => !text.includes(word));
    const shown = file.unseen.filter((word) => text.includes(word));
    const share = `${Math.round(((file.seen.length - lost.length) / file.seen.length) * 1000) / 10} % of ${file.seen.length} constructs`;
    bars.check(
      `${file.name}: words found`,
      lost.length === 0 ? share : `${share}, lost ${lost.join(', ')}`,
      lost.length === 0,
    );
    bars.check(`${file.name}: hidden words shown`, shown.length === 0 ? 0 : shown.join(', '), shown.length === 0);
  }
  // Seen while the detection was tuned, all of them: that nothing was lost since, no forecast for other texts.
  const { wrong, count } = misread();
  bars.check(
    `encodings, texts seen in tuning: misread of ${count}`,
    wrong.length === 0 ? 0 : `${wrong.length}: ${wrong.join(', ')}`,
    wrong.length === 0,
  );
  const western = SHORT_WESTERN.filter((text) => decodeText(iconv.encode(text, 'windows-1252')) !== text);
  bars.check(
    `encodings: short Western texts misread of ${SHORT_WESTERN.length}`,
    western.join(', ') || 0,
    western.length === 0,
  );
}

async function textOf({ kind, bytes }) {
  const folder = mkdtempSync(join(tmpdir(), 'lost-text-'));
  try {
    const path = join(folder, `file.${kind}`);
    writeFileSync(path, bytes);
    const request = { path, kind, ocr: false, languages: [], limits: { pages: 5_000, characters: 1e7 } };
    let text = '';
    const sink = new PageSender(request, (message) => {
      if (message.type === 'page') text += `${message.page.label ?? ''}\n${message.page.text}\n`;
      sink.acknowledge();
    });
    await (
      await parserFor(kind)
    )(request, sink);
    return text;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each sentence alone, as a table, and as a long log, in every encoding of its language. */
function misread() {
  const wrong = [];
  let count = 0;
  for (const [language, { encodings, texts }] of Object.entries(SENTENCES))
    for (const encoding of [...encodings, ...ALWAYS])
      for (const text of texts) {
        const forms = [
          text,
          `id,text,n\r\n1,${text},5\r\n2,${text},7\r\n`,
          `2024-01-05 12:00 id=42; ${text}\n`.repeat(500),
        ];
        for (const form of forms) {
          count += 1;
          if (decodeText(iconv.encode(form, encoding)) !== form) wrong.push(`${language} in ${encoding}`);
        }
      }
  return { wrong, count };
}
