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

  /** A part of the text, as it lies in the file. */
  interface TextPiece {
    unicode: boolean;
    startFilePos: number;
    size: number;
    text: string;
    length: number;
    startCp: number;
    endCp: number;
  }

  export default class WordOleExtractor {
    protected readonly _pieces: TextPiece[];
    writePieces(file: Buffer, table: Buffer): void;
    extract(reader: FileReader): Promise<ExtractedWordDocument>;
    /** @param file the stream `WordDocument` */
    extractWordDocument(document: OleCompoundDoc, file: Buffer): Promise<ExtractedWordDocument>;
    documentStream(document: OleCompoundDoc, name: string): Promise<NodeJS.ReadableStream>;
    streamBuffer(stream: NodeJS.ReadableStream): Promise<Buffer>;
  }
}
