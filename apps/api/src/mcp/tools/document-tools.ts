import { ANSWER_LANGUAGES, ConflictError } from '@app/common';
import { findableFolder, MAX_TAGS, normalizeTags, ReadableDocuments } from '@app/documents';
import { AnswerService, Retriever, SEARCH_MODES, toIndexUnavailable } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DocumentPages } from '../documents/document-pages.js';
import { defineMcpTool, type McpTool, READS } from './tool.js';

const uids = z.array(z.uuid()).min(1).max(50).optional().describe('Only these documents, by uid.');
const folder = z.string().max(1000).optional().describe("Only this folder of the caller's own documents, and below.");
const tags = z
  .array(z.string().max(200))
  .max(MAX_TAGS)
  .optional()
  .describe("Only the caller's own documents that have all of these tags.");
const question = z.string().trim().min(1).max(4000);
const PROGRESS_MS = 1000;

const documentShape = z.object({
  uid: z.string(),
  filename: z.string(),
  folder: z.string().describe('Empty for documents that others share.'),
  is_own: z.boolean(),
  mime_type: z.string(),
  size_bytes: z.number(),
  pages: z.number().nullable(),
  tags: z.array(z.string()),
  state: z.string().describe('`completed` documents can be searched, asked and read.'),
  created_at: z.string(),
});

/** The documents of the caller: own and shared ones. */
@Injectable()
export class DocumentTools {
  readonly tools: readonly McpTool[];

  constructor(
    private readonly retriever: Retriever,
    private readonly answers: AnswerService,
    private readonly documents: ReadableDocuments,
    private readonly pages: DocumentPages,
  ) {
    this.tools = [this.search(), this.ask(), this.list(), this.read()];
  }

  private search(): McpTool {
    return defineMcpTool({
      name: 'search_documents',
      title: 'Search documents',
      description: 'Finds passages in the documents that the caller may read, best first, with file, page and score.',
      scope: 'documents:read',
      part: 'core',
      annotations: READS,
      input: z.object({
        query: z.string().trim().min(1).max(1000),
        mode: z.enum(SEARCH_MODES).default('hybrid').describe('By words, by meaning, or both.'),
        limit: z.int().min(1).max(50).default(10),
        uids,
        folder,
        tags,
      }),
      output: z.object({
        results: z.array(
          z.object({
            uid: z.string(),
            filename: z.string(),
            page: z.number(),
            score: z.number(),
            text: z.string(),
          }),
        ),
      }),
      run: async ({ query, mode, limit, ...scope }, { viewer, signal }) => {
        await this.documents.requireAll(viewer.userId, scope.uids ?? []);
        const asked = { viewer: { userId: viewer.userId }, query, mode, limit, names: true, signal };
        const { hits } = await this.retriever.search({ ...asked, ...toScope(scope) }).catch(toIndexUnavailable);
        return { results: hits.map(({ uid, filename, page, score, text }) => ({ uid, filename, page, score, text })) };
      },
    });
  }

  private ask(): McpTool {
    return defineMcpTool({
      name: 'ask_documents',
      title: 'Ask documents',
      description:
        'Answers a question from the documents that the caller may read. [1], [2] in the answer name its sources.',
      scope: 'documents:read',
      part: 'chat_ai',
      open: false,
      annotations: { ...READS, idempotentHint: false },
      input: z.object({ question, language: z.enum(ANSWER_LANGUAGES).optional(), uids, folder, tags }),
      output: z.object({
        answer: z.string(),
        model: z.string(),
        sources: z.array(
          z.object({ number: z.number(), uid: z.string(), filename: z.string(), page: z.number(), text: z.string() }),
        ),
      }),
      text: ({ answer, sources }) =>
        `${answer}\n\n${sources.map(({ number, filename, page }) => `[${number}] ${filename}, page ${page}`).join('\n')}`.trim(),
      run: async ({ question, language, ...scope }, { viewer, signal, progress }) => {
        const { userId } = viewer;
        await this.documents.requireAll(userId, scope.uids ?? []);
        progress(0, null, 'Searching the documents.');
        const usage = { userId, purpose: 'mcp' };
        const asked = { viewer: { userId }, question, language, scope: toScope(scope), usage, signal };
        const { stream, sources, model } = await this.answers.answer(asked).catch(toIndexUnavailable);
        progress(1, null, `Reading ${sources.length} passages.`);
        let answer = '';
        let toldAt = Date.now();
        for await (const piece of stream) {
          answer += piece;
          if (Date.now() - toldAt < PROGRESS_MS) continue;
          toldAt = Date.now();
          progress(1 + answer.length, null, `${answer.length} characters are written.`);
        }
        signal.throwIfAborted();
        const numbered = sources.map(({ uid, filename, page, text }, at) => ({
          number: at + 1,
          uid,
          filename,
          page,
          text,
        }));
        return { answer, model: stream.answeredBy?.() ?? model, sources: numbered };
      },
    });
  }

  private list(): McpTool {
    return defineMcpTool({
      name: 'list_documents',
      title: 'List documents',
      description: 'Lists own and shared documents, newest first, a page at a time.',
      scope: 'documents:read',
      part: 'core',
      annotations: READS,
      input: z.object({
        name_contains: z.string().max(200).optional(),
        folder,
        limit: z.int().min(1).max(100).default(50),
        cursor: z.string().max(200).optional().describe('`next_cursor` of the page before.'),
      }),
      output: z.object({ documents: z.array(documentShape), next_cursor: z.string().nullable() }),
      run: async ({ name_contains: nameContains, folder: own, limit, cursor }, { viewer }) => {
        const filter = { nameContains, folder: own === undefined ? undefined : findableFolder(own) };
        const page = await this.documents.list(viewer.userId, filter, limit, cursor);
        return { documents: page.documents, next_cursor: page.nextCursor };
      },
    });
  }

  private read(): McpTool {
    return defineMcpTool({
      name: 'read_document',
      title: 'Read a document',
      description: 'The text of a document, some pages at a time. Formats without pages have one, number 1.',
      scope: 'documents:read',
      part: 'core',
      annotations: READS,
      input: z.object({
        uid: z.uuid(),
        page: z.int().min(1).max(1_000_000).default(1),
        offset: z.int().min(0).default(0).describe('Characters of that page to leave out, as `next.offset` said.'),
      }),
      output: z.object({
        uid: z.string(),
        filename: z.string(),
        pages: z.array(z.object({ page: z.number(), text: z.string() })),
        next: z
          .object({ page: z.number(), offset: z.number() })
          .nullable()
          .describe('Where to go on; null at the end.'),
      }),
      text: ({ filename, pages, next }) => {
        const text = pages.map((one) => `--- ${filename}, page ${one.page} ---\n${one.text}`).join('\n\n');
        return next ? `${text}\n\n(Go on with page ${next.page}, offset ${next.offset}.)` : text;
      },
      run: async ({ uid, page, offset }, { viewer }) => {
        const { filename, isReadable } = await this.documents.get(viewer.userId, uid);
        if (!isReadable)
          throw new ConflictError('The document is not ready to be read yet.', { code: 'document_not_ready' });
        return { uid, filename, ...(await this.pages.read(uid, page, offset)) };
      },
    });
  }
}

function toScope({
  uids,
  folder,
  tags,
}: Partial<Record<'uids' | 'tags', string[] | undefined>> & { folder?: string | undefined }) {
  return { uids, folder: folder === undefined ? undefined : findableFolder(folder), tags: normalizeTags(tags ?? []) };
}
