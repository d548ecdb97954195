import type { FileKind } from '@app/documents/kit';
import type { ParseRequest } from '../child-messages.js';
import type { PageSink } from './page-sink.js';

/**
 * Reads a file and emits its pages in order. Throws ExtractionError for what its owner can understand;
 * anything else it throws is reported as a damaged file.
 */
export type Parser = (request: ParseRequest, sink: PageSink) => Promise<void>;

// Loaded on first use: a process that only ever reads text starts in a tenth of the time of one that loads them all.
const word = async (): Promise<Parser> => (await import('./parsers/office.js')).parseWord;
const presentation = async (): Promise<Parser> => (await import('./parsers/presentation.js')).parsePresentation;
const workbook = async (): Promise<Parser> => (await import('./parsers/workbook.js')).parseWorkbook;
const image = async (): Promise<Parser> => (await import('./parsers/image.js')).parseImage;
const text = async (): Promise<Parser> => (await import('./parsers/text.js')).parseText;

const PARSERS: Record<FileKind, () => Promise<Parser>> = {
  pdf: async () => (await import('./parsers/pdf.js')).parsePdf,
  docx: word,
  docm: word,
  odt: async () => (await import('./parsers/office.js')).parseOpenDocumentText,
  rtf: async () => (await import('./parsers/office.js')).parseRtf,
  html: async () => (await import('./parsers/html.js')).parseHtmlFile,
  pptx: presentation,
  pptm: presentation,
  odp: async () => (await import('./parsers/presentation.js')).parseOpenDocumentSlides,
  doc: async () => (await import('./parsers/word97.js')).parseWord97,
  ppt: async () => (await import('./parsers/powerpoint97.js')).parsePowerPoint97,
  xlsx: workbook,
  xlsm: workbook,
  xlsb: workbook,
  xls: workbook,
  ods: async () => (await import('./parsers/ods.js')).parseOds,
  csv: async () => (await import('./parsers/csv.js')).parseCsv,
  text,
  markdown: async () => (await import('./parsers/markdown.js')).parseMarkdown,
  rst: text,
  xml: async () => (await import('./parsers/xml.js')).parseXmlFile,
  json: async () => (await import('./parsers/json.js')).parseJson,
  ics: async () => (await import('./parsers/calendar.js')).parseCalendar,
  epub: async () => (await import('./parsers/epub.js')).parseEpub,
  msg: async () => (await import('./parsers/outlook.js')).parseOutlookMessage,
  eml: async () => (await import('./parsers/email.js')).parseEmail,
  png: image,
  jpeg: image,
  gif: image,
  webp: image,
  tiff: image,
  bmp: image,
};

export function parserFor(kind: FileKind): Promise<Parser> {
  return PARSERS[kind]();
}
