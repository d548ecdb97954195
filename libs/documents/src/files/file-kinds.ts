/** What a file is to the rest of the platform: decides how it is read, shown and counted. */
export type FileFamily =
  | 'pdf'
  | 'word'
  | 'presentation'
  | 'spreadsheet'
  | 'csv'
  | 'text'
  | 'markdown'
  | 'html'
  | 'data'
  | 'calendar'
  | 'ebook'
  | 'email'
  | 'image';

/** How the bytes are wrapped; each wrapping has its own check in `inspectUpload`. */
export type FileContainer = 'pdf' | 'office-open-xml' | 'open-document' | 'ole' | 'rtf' | 'text' | 'email' | 'image';

interface FileKindDeclaration {
  /** What a person calls it; used in messages ("This is not a PDF file."). */
  name: string;
  family: FileFamily;
  container: FileContainer;
  /** Lower case, without the dot. */
  extensions: readonly [string, ...string[]];
  /** The first is the one we store and serve; the others are what browsers also send. */
  mimeTypes: readonly [string, ...string[]];
  /** Holds no text of its own: nothing can be read from it without OCR. */
  needsOcr: boolean;
  /** office-open-xml: folder of the main part. open-document: content of `mimetype`. ole: names of the main stream. */
  marks?: readonly string[];
}

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** The one list of what can be uploaded. A new kind is a line here and a parser in the indexer. */
export const FILE_KINDS = {
  pdf: {
    name: 'PDF file',
    family: 'pdf',
    container: 'pdf',
    extensions: ['pdf'],
    mimeTypes: ['application/pdf', 'application/x-pdf'],
    needsOcr: false,
  },
  docx: {
    name: 'Word document',
    family: 'word',
    container: 'office-open-xml',
    extensions: ['docx'],
    mimeTypes: [`${OPEN_XML}.wordprocessingml.document`],
    needsOcr: false,
    marks: ['word/'],
  },
  docm: {
    name: 'Word document with macros',
    family: 'word',
    container: 'office-open-xml',
    extensions: ['docm'],
    mimeTypes: ['application/vnd.ms-word.document.macroEnabled.12'],
    needsOcr: false,
    marks: ['word/'],
  },
  doc: {
    name: 'Word 97-2003 document',
    family: 'word',
    container: 'ole',
    extensions: ['doc'],
    mimeTypes: ['application/msword'],
    needsOcr: false,
    marks: ['WordDocument'],
  },
  odt: {
    name: 'OpenDocument text',
    family: 'word',
    container: 'open-document',
    extensions: ['odt'],
    mimeTypes: [`${OPEN_DOCUMENT}.text`],
    needsOcr: false,
    marks: [`${OPEN_DOCUMENT}.text`],
  },
  rtf: {
    name: 'RTF document',
    family: 'word',
    container: 'rtf',
    extensions: ['rtf'],
    mimeTypes: ['application/rtf', 'text/rtf'],
    needsOcr: false,
  },
  pptx: {
    name: 'PowerPoint presentation',
    family: 'presentation',
    container: 'office-open-xml',
    extensions: ['pptx'],
    mimeTypes: [`${OPEN_XML}.presentationml.presentation`],
    needsOcr: false,
    marks: ['ppt/'],
  },
  pptm: {
    name: 'PowerPoint presentation with macros',
    family: 'presentation',
    container: 'office-open-xml',
    extensions: ['pptm'],
    mimeTypes: ['application/vnd.ms-powerpoint.presentation.macroEnabled.12'],
    needsOcr: false,
    marks: ['ppt/'],
  },
  ppt: {
    name: 'PowerPoint 97-2003 presentation',
    family: 'presentation',
    container: 'ole',
    extensions: ['ppt'],
    mimeTypes: ['application/vnd.ms-powerpoint'],
    needsOcr: false,
    marks: ['PowerPoint Document'],
  },
  odp: {
    name: 'OpenDocument presentation',
    family: 'presentation',
    container: 'open-document',
    extensions: ['odp'],
    mimeTypes: [`${OPEN_DOCUMENT}.presentation`],
    needsOcr: false,
    marks: [`${OPEN_DOCUMENT}.presentation`],
  },
  xlsx: {
    name: 'Excel workbook',
    family: 'spreadsheet',
    container: 'office-open-xml',
    extensions: ['xlsx'],
    mimeTypes: [`${OPEN_XML}.spreadsheetml.sheet`],
    needsOcr: false,
    marks: ['xl/'],
  },
  xlsm: {
    name: 'Excel workbook with macros',
    family: 'spreadsheet',
    container: 'office-open-xml',
    extensions: ['xlsm'],
    mimeTypes: ['application/vnd.ms-excel.sheet.macroEnabled.12'],
    needsOcr: false,
    marks: ['xl/'],
  },
  xlsb: {
    name: 'binary Excel workbook',
    family: 'spreadsheet',
    container: 'office-open-xml',
    extensions: ['xlsb'],
    mimeTypes: ['application/vnd.ms-excel.sheet.binary.macroEnabled.12'],
    needsOcr: false,
    marks: ['xl/'],
  },
  xls: {
    name: 'Excel 97-2003 workbook',
    family: 'spreadsheet',
    container: 'ole',
    extensions: ['xls'],
    mimeTypes: ['application/vnd.ms-excel'],
    needsOcr: false,
    marks: ['Workbook', 'Book'],
  },
  ods: {
    name: 'OpenDocument spreadsheet',
    family: 'spreadsheet',
    container: 'open-document',
    extensions: ['ods'],
    mimeTypes: [`${OPEN_DOCUMENT}.spreadsheet`],
    needsOcr: false,
    marks: [`${OPEN_DOCUMENT}.spreadsheet`],
  },
  csv: {
    name: 'CSV file',
    family: 'csv',
    container: 'text',
    extensions: ['csv', 'tsv'],
    mimeTypes: ['text/csv', 'text/tab-separated-values', 'application/csv'],
    needsOcr: false,
  },
  text: {
    name: 'text file',
    family: 'text',
    container: 'text',
    extensions: ['txt', 'text', 'log'],
    mimeTypes: ['text/plain'],
    needsOcr: false,
  },
  markdown: {
    name: 'Markdown file',
    family: 'markdown',
    container: 'text',
    extensions: ['md', 'markdown'],
    mimeTypes: ['text/markdown', 'text/x-markdown'],
    needsOcr: false,
  },
  html: {
    name: 'HTML file',
    family: 'html',
    container: 'text',
    extensions: ['html', 'htm'],
    mimeTypes: ['text/html', 'application/xhtml+xml'],
    needsOcr: false,
  },
  rst: {
    name: 'reStructuredText file',
    family: 'text',
    container: 'text',
    extensions: ['rst'],
    mimeTypes: ['text/x-rst', 'text/prs.fallenstein.rst'],
    needsOcr: false,
  },
  xml: {
    name: 'XML file',
    family: 'data',
    container: 'text',
    extensions: ['xml'],
    mimeTypes: ['application/xml', 'text/xml'],
    needsOcr: false,
  },
  json: {
    name: 'JSON file',
    family: 'data',
    container: 'text',
    extensions: ['json', 'ndjson', 'jsonl'],
    mimeTypes: ['application/json', 'application/x-ndjson', 'application/jsonl'],
    needsOcr: false,
  },
  ics: {
    name: 'calendar file',
    family: 'calendar',
    container: 'text',
    extensions: ['ics'],
    mimeTypes: ['text/calendar'],
    needsOcr: false,
  },
  epub: {
    name: 'EPUB book',
    family: 'ebook',
    container: 'open-document',
    extensions: ['epub'],
    mimeTypes: ['application/epub+zip'],
    needsOcr: false,
    marks: ['application/epub+zip'],
  },
  eml: {
    name: 'e-mail',
    family: 'email',
    container: 'email',
    extensions: ['eml'],
    mimeTypes: ['message/rfc822'],
    needsOcr: false,
  },
  msg: {
    name: 'Outlook message',
    family: 'email',
    container: 'ole',
    extensions: ['msg'],
    mimeTypes: ['application/vnd.ms-outlook'],
    needsOcr: false,
    marks: ['__properties_version1.0'],
  },
  png: {
    name: 'PNG image',
    family: 'image',
    container: 'image',
    extensions: ['png'],
    mimeTypes: ['image/png'],
    needsOcr: true,
  },
  jpeg: {
    name: 'JPEG image',
    family: 'image',
    container: 'image',
    extensions: ['jpg', 'jpeg'],
    mimeTypes: ['image/jpeg'],
    needsOcr: true,
  },
  gif: {
    name: 'GIF image',
    family: 'image',
    container: 'image',
    extensions: ['gif'],
    mimeTypes: ['image/gif'],
    needsOcr: true,
  },
  webp: {
    name: 'WebP image',
    family: 'image',
    container: 'image',
    extensions: ['webp'],
    mimeTypes: ['image/webp'],
    needsOcr: true,
  },
  tiff: {
    name: 'TIFF image',
    family: 'image',
    container: 'image',
    extensions: ['tif', 'tiff'],
    mimeTypes: ['image/tiff'],
    needsOcr: true,
  },
  bmp: {
    name: 'BMP image',
    family: 'image',
    container: 'image',
    extensions: ['bmp'],
    mimeTypes: ['image/bmp', 'image/x-ms-bmp'],
    needsOcr: true,
  },
} as const satisfies Record<string, FileKindDeclaration>;

export type FileKind = keyof typeof FILE_KINDS;
export type FileKindDefinition = FileKindDeclaration & { id: FileKind };

const byExtension = new Map<string, FileKindDefinition>();
for (const id of Object.keys(FILE_KINDS) as FileKind[]) {
  for (const extension of FILE_KINDS[id].extensions) byExtension.set(extension, { id, ...FILE_KINDS[id] });
}

/** Every extension that can be uploaded, without dots, in the order of the catalogue. */
export const SUPPORTED_EXTENSIONS: readonly string[] = [...byExtension.keys()];

/** Lower-case extension of a file name without the dot; '' when it has none. */
export function extensionOf(filename: string): string {
  return /[^./\\]\.+([a-z0-9]{1,16})$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** The kind that a file name's extension promises, or null when it is none we read. */
export function findKindByFilename(filename: string): FileKindDefinition | null {
  return byExtension.get(extensionOf(filename)) ?? null;
}

/** The declaration of a kind read back from storage. */
export function fileKindDefinition(kind: FileKind): FileKindDefinition {
  return { id: kind, ...FILE_KINDS[kind] };
}

/** Narrows a stored string to a kind of the catalogue. */
export function isFileKind(value: string): value is FileKind {
  return Object.hasOwn(FILE_KINDS, value);
}
