import { findDocumentPages } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface ReadPages {
  pages: { page: number; text: string }[];
  next: { page: number; offset: number } | null;
}

/** Characters of one answer, some 15,000 tokens. */
const MAX_CHARACTERS = 60_000;
const PAGES_AT_ONCE = 25;

/** The text of documents, page by page. */
@Injectable()
export class DocumentPages {
  constructor(private readonly dataSource: DataSource) {}

  /** Text from a place on, for a caller who has checked access: at most 60,000 characters. */
  async read(uid: string, page: number, offset: number): Promise<ReadPages> {
    const found = (await findDocumentPages(this.dataSource, uid, { from: page, count: PAGES_AT_ONCE })) ?? [];
    const pages: ReadPages['pages'] = [];
    let room = MAX_CHARACTERS;
    for (const one of found) {
      const start = one.page === page ? offset : 0;
      if (room === 0) return { pages, next: { page: one.page, offset: 0 } };
      const text = one.text.slice(start, start + room);
      pages.push({ page: one.page, text });
      room -= text.length;
      if (start + text.length < one.text.length)
        return { pages, next: { page: one.page, offset: start + text.length } };
    }
    const last = found.at(-1);
    // There may be none: then the next answer is empty, and the last.
    return { pages, next: last && found.length === PAGES_AT_ONCE ? { page: last.page + 1, offset: 0 } : null };
  }
}
