declare module 'word-extractor/lib/ole-compound-doc.js' {
  export default class OleCompoundDoc {
    stream(name: string): NodeJS.ReadableStream;
  }
}

declare module 'word-extractor/lib/file-reader.js' {
  export default class FileReader {
    constructor(path: string);
    open(): Promise<void>;
    close(): Promise<void>;
  }
}

declare module 'word-extractor/lib/word-ole-extractor.js' {
  import type FileReader from 'word-extractor/lib/file-reader.js';
  import type OleCompoundDoc from 'word-extractor/lib/ole-compound-doc.js';

  interface ExtractedWordDocument {
    getBody(): string;
    getFootnotes(): string;
    getEndnotes(): string;
    getHeaders(options?: { includeFooters?: boolean }): string;
    /** Comments. */
    getAnnotations(): string;
    getTextboxes(options?: { includeHeadersAndFooters?: boolean; includeBody?: boolean }): string;
  }

  export default class WordOleExtractor {
    extract(reader: FileReader): Promise<ExtractedWordDocument>;
    /** @param file the stream `WordDocument` */
    extractWordDocument(document: OleCompoundDoc, file: Buffer): Promise<ExtractedWordDocument>;
    documentStream(document: OleCompoundDoc, name: string): Promise<NodeJS.ReadableStream>;
    streamBuffer(stream: NodeJS.ReadableStream): Promise<Buffer>;
  }
}
