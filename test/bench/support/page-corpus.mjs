// Pages to chunk: the fixtures, texts of the repository, and what lies in folders that are named.
import fs from 'node:fs';
import path from 'node:path';
import { DocumentExtractor } from '../../../apps/indexer/dist/pipeline/document-extractor.js';
import { CHILD_ENTRY } from '../../../apps/indexer/dist/pipeline/child-entry.js';
import { seededRandom } from './figures.mjs';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
/** Further folders, comma-separated: `ATRIUM_PAGES`. */
const FOLDERS = ['test/fixtures/documents', 'docs', ...(process.env.ATRIUM_PAGES ?? '').split(',').filter(Boolean)];
const TEXTS = ['README.md', 'CONTRIBUTING.md'];
const KINDS = {
  txt: 'text',
  md: 'markdown',
  pdf: 'pdf',
  docx: 'docx',
  odt: 'odt',
  rtf: 'rtf',
  html: 'html',
  pptx: 'pptx',
  ppt: 'ppt',
  xlsx: 'xlsx',
  xls: 'xls',
  csv: 'csv',
};

function* filesOf(folder) {
  if (!fs.existsSync(folder)) return;
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) yield path.join(entry.parentPath, entry.name);
}

/** @returns {Promise<{name: string, pages: {number: number, text: string}[]}[]>} files that cannot be read are left out */
export async function readFiles() {
  const extractor = new DocumentExtractor({ childEntry: CHILD_ENTRY });
  const files = [
    ...TEXTS.map((file) => path.join(ROOT, file)),
    ...FOLDERS.flatMap((folder) => [...filesOf(path.resolve(ROOT, folder))]),
  ];
  const documents = [];
  try {
    for (const file of files) {
      const kind = KINDS[path.extname(file).slice(1).toLowerCase()];
      if (!kind) continue;
      const pages = [];
      const onPage = ({ number, text, label, lines }) =>
        void pages.push({ number, text, ...(label ? { label } : {}), ...(lines ? { lines } : {}) });
      try {
        await extractor.extract({ path: file, kind, ocr: false, onPage });
      } catch (error) {
        if (error.name !== 'ExtractionError' || !error.permanent) throw error;
      }
      if (pages.length > 0) documents.push({ name: path.basename(file), pages });
    }
  } finally {
    extractor.close();
  }
  return documents;
}

const SENTENCES = {
  en: [
    'The lease of unit 5 ends on March 31, 2024, unless Dr. J. Smith renews it.',
    'Revenue rose by 12.5 % to $44.8 million in the U.S. market.',
    'See No. 5 on p. 3 for the details of this agreement.',
    'What happens then?',
  ],
  de: [
    'Der Vertrag endet am 31. März 2024, wenn ihn Dr. Müller nicht verlängert.',
    'Die Miete beträgt ca. 300 Euro, z. B. für Lagerräume in Berlin.',
    'Nach Art. 5 Abs. 2 haftet die Versicherung mit 1.250,00 Euro.',
    'Im 3. Quartal stieg der Umsatz auf 3 Mio. Euro.',
  ],
  ar: [
    'ينتهي العقد في 31 مارس 2024 ما لم يجدده د. أحمد علي.',
    'ارتفعت الإيرادات بنسبة 12.5 بالمئة إلى 44.8 مليون دولار.',
    'هل ينطبق ذلك على جميع الموظفين؟',
  ],
  zh: [
    '合同将于2024年3月31日终止，除非双方续签。',
    '本年度收入增长百分之十二点五，达到四千四百八十万美元。',
    '所有员工每年享有二十五天带薪假期。',
  ],
  ja: [
    '契約は2024年3月31日に終了します。',
    '売上高は12.5パーセント増加して4480万ドルになりました。',
    '従業員には年間25日の有給休暇があります。',
  ],
  th: [
    'สัญญาเช่าจะสิ้นสุดในวันที่สามสิบเอ็ดมีนาคมเว้นแต่จะมีการต่ออายุ',
    'พนักงานทุกคนมีสิทธิลาพักร้อนยี่สิบห้าวันต่อปี',
    'รายได้เพิ่มขึ้นเป็นสี่สิบสี่ล้านดอลลาร์',
  ],
};

/** Running text of one language, of about so many characters, in paragraphs. */
export function runningText(language, characters, seed = 1) {
  const random = seededRandom(seed);
  const pieces = [];
  for (let length = 0; length < characters;) {
    const list = SENTENCES[language];
    const piece =
      list[Math.floor(random() * list.length)] +
      (random() < 0.15 ? '\n\n' : language === 'zh' || language === 'ja' ? '' : ' ');
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join('');
}

export const LANGUAGES = Object.keys(SENTENCES);

/** A table with a header row, as extraction writes it. */
export function tableText(rows, seed = 1) {
  const random = seededRandom(seed);
  const lines = ['Region | Product | Quarter | Revenue | Units'];
  for (let row = 0; row < rows; row++)
    lines.push(
      `${['North', 'South', 'East', 'West'][row % 4]} | Pump ${row} | Q${(row % 4) + 1} 2024 | $${(random() * 1e6).toFixed(2)} | ${Math.floor(random() * 9000)}`,
    );
  return lines.join('\n');
}
