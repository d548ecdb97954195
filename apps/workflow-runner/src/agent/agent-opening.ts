import { Citations, type FoundSource, type OpenedFile, openingText, type AgentSource } from '@app/agents';
import { isUuid } from '@app/common';
import { documentMediaPath, findDocumentUidInPath } from '@app/documents';
import type { ModelDescriptor, ModelImage } from '@app/integrations';
import { type DocumentsPort, ToolError, type Viewer } from '@app/workflow-definition';
import { Injectable, Logger } from '@nestjs/common';
import { ReadableFiles } from '../ports/readable-files.js';
import { SecureTurnAttachments } from './secure-turn-attachments.js';
import type { AgentTurnRequest } from './agent-request.js';

const PASSAGES = 8;
const MAX_QUERY = 2_000;

/** What a question comes with: the files that were attached, read with the rights that the asker has now. */
@Injectable()
export class AgentOpening {
  private readonly logger = new Logger(AgentOpening.name);

  constructor(
    private readonly attachments: SecureTurnAttachments,
    private readonly files: ReadableFiles,
  ) {}

  async open(viewer: Viewer, request: AgentTurnRequest, model: ModelDescriptor): Promise<OpenedFile[]> {
    const wanted = new Map(request.attachedFiles.map((one) => [one.file, one]));
    for (const uid of request.fileUids) if (!wanted.has(uid)) wanted.set(uid, { file: uid, name: '' });
    const read = await this.attachments.read(viewer.userId, [...wanted.values()], model);
    const names = await Promise.all([...wanted.values()].map(({ file, name }) => this.nameOf(viewer, file, name)));
    return [...wanted.keys()].map((file, index) => {
      const uid = findDocumentUidInPath(file.split('?')[0]!) ?? (isUuid(file) ? file : null);
      const attachment = read[index]!;
      const name = names[index]!;
      return { ...attachment, name, file, uid, mediaPath: uid === null ? file : documentMediaPath(uid, name) };
    });
  }

  imagesIn(files: readonly OpenedFile[]): ModelImage[] {
    return files.flatMap((file) => (file.kind === 'image' ? [file.image] : []));
  }

  /** @param sources gets what the text can be cited by */
  text(
    viewer: Viewer,
    question: string,
    files: readonly OpenedFile[],
    sources: AgentSource[],
    {
      documents,
      contextTokens,
      signal,
    }: { documents: DocumentsPort | undefined; contextTokens: number; signal: AbortSignal },
  ): Promise<string> {
    const citations = new Citations(sources);
    const findPassages = async (uids: readonly string[]): Promise<FoundSource[]> => {
      if (!documents) return [];
      try {
        const scope = { documentUids: uids, limit: PASSAGES };
        const hits = await documents.search(viewer, question.slice(0, MAX_QUERY), scope, signal);
        return hits.map(({ documentUid: uid, filename, page, text }) => ({
          uid,
          filename,
          page,
          text,
          path: documentMediaPath(uid, filename),
        }));
      } catch (error) {
        signal.throwIfAborted();
        this.logger.warn(`Attached files are not searched: ${String(error)}`);
        return [];
      }
    };
    return openingText(question, files, findPassages, (source) => citations.cite(source), contextTokens);
  }

  private async nameOf(viewer: Viewer, file: string, given: string): Promise<string> {
    try {
      return (await this.files.find(viewer, file)).name;
    } catch (error) {
      if (error instanceof ToolError) return given || file;
      throw error;
    }
  }
}
