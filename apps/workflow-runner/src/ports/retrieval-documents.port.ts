import { isUuid } from '@app/common';
import { normalizeTags } from '@app/documents';
import type { ChosenModels } from '@app/integrations';
import type { AnswerService, Retriever, SearchHit, SearchScope } from '@app/retrieval';
import type { DocumentScope, DocumentsPort, PassageHit, Viewer } from '@app/workflow-definition';
import { asToolError } from './as-tool-error.js';
import { toNodeUsage, toUsageContext } from './used-models.js';

const DEFAULT_LIMIT = 8;

/** The document store as tools see it; what the viewer may not read is never found. */
export class RetrievalDocuments implements DocumentsPort {
  constructor(
    private readonly retriever: Retriever,
    private readonly answers: AnswerService,
    private readonly models: ChosenModels,
  ) {}

  async search(viewer: Viewer, query: string, scope: DocumentScope, signal: AbortSignal): Promise<PassageHit[]> {
    const limit = scope.limit ?? DEFAULT_LIMIT;
    const found = async () =>
      this.retriever.search({ ...toSearchScope(scope), viewer, query, mode: 'hybrid', limit, signal });
    const { hits } = await asToolError(found());
    return hits.map(toPassageHit);
  }

  async ask(viewer: Viewer, question: string, scope: DocumentScope, signal: AbortSignal) {
    const answered = async () => {
      const model = await this.models.choose(viewer.userId, viewer.modelId);
      const usage = toUsageContext(viewer);
      return this.answers.answer({ viewer, question, scope: toSearchScope(scope), model, usage, signal });
    };
    const { sources, stream, model } = await asToolError(answered());
    const answer = await asToolError(textOf(stream), () => toNodeUsage(stream.usage()).usage ?? null);
    const answeredBy = stream.answeredBy?.() ?? model;
    return { answer, sources: sources.map(toPassageHit), model: answeredBy, ...toNodeUsage(stream.usage()) };
  }
}

async function textOf(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

/** @throws ValidationError for tags that no document can have */
function toSearchScope({ documentUids, folder, tags }: DocumentScope): SearchScope {
  // What is no UUID names no document, and must not reach SQL.
  return {
    ...(documentUids && { uids: documentUids.filter(isUuid) }),
    ...(folder !== undefined && { folder }),
    ...(tags && { tags: normalizeTags(tags) }),
  };
}

function toPassageHit({ uid, filename, page, text, score }: SearchHit): PassageHit {
  return { documentUid: uid, filename, page, text, score };
}
