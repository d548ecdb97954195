import {
  type AgentSource,
  Citations,
  type EarlierSources,
  type FoundSource,
  type OpenedFile,
  openingText,
  type PastExchange,
} from '@app/agents';
import { cutText, isUuid } from '@app/common';
import { documentMediaPath, findDocumentUidInPath } from '@app/documents';
import type { ModelDescriptor, ModelImage } from '@app/integrations';
import { type DocumentsPort, ToolError, type Viewer } from '@app/workflow-definition';
import { Injectable, Logger } from '@nestjs/common';
import { ReadableFiles } from '../ports/readable-files.js';
import { SecureTurnAttachments } from './secure-turn-attachments.js';
import type { AgentTurnRequest } from './agent-request.js';

const PASSAGES = 8;
const MAX_QUERY = 2_000;
/** Of earlier turns, shown again. */
const MAX_PICTURES = 4;
const MAX_PICTURE_BYTES = 8 * 1024 * 1024;

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

  /** The newest pictures of earlier turns, each again with its question, as far as the asker may still see them. */
  async withPictures(
    { userId }: Viewer,
    turns: readonly PastExchange[],
    model: ModelDescriptor,
  ): Promise<readonly PastExchange[]> {
    const all = turns.flatMap(({ turnId, attachments = [] }) =>
      attachments.flatMap(({ file, name, kind }) => (kind === 'image' ? [{ turnId, file, name }] : [])),
    );
    const newest = all.slice(-MAX_PICTURES);
    if (newest.length === 0) return turns;
    const read = await this.attachments.read(userId, newest, model);
    const byTurn = new Map<string, ModelImage[]>();
    let bytes = 0;
    for (const [index, attachment] of [...read.entries()].toReversed()) {
      if (attachment.kind !== 'image') continue;
      bytes += attachment.image.data.length;
      if (bytes > MAX_PICTURE_BYTES) break;
      const { turnId } = newest[index]!;
      byTurn.set(turnId, [attachment.image, ...(byTurn.get(turnId) ?? [])]);
    }
    return turns.map((turn) => {
      const images = byTurn.get(turn.turnId);
      const [opening, ...rest] = turn.messages ?? [];
      return images && opening?.role === 'user' ? { ...turn, messages: [{ ...opening, images }, ...rest] } : turn;
    });
  }

  /** @param sources gets what the text can be cited by */
  text(
    viewer: Viewer,
    { notes, question }: { notes: string; question: string },
    files: readonly OpenedFile[],
    { sources, earlier }: { sources: AgentSource[]; earlier: EarlierSources },
    {
      documents,
      contextTokens,
      signal,
    }: { documents: DocumentsPort | undefined; contextTokens: number; signal: AbortSignal },
  ): Promise<string> {
    const citations = new Citations(sources, earlier);
    const findPassages = async (uids: readonly string[]): Promise<FoundSource[]> => {
      if (!documents) return [];
      try {
        const scope = { documentUids: uids, limit: PASSAGES };
        const hits = await documents.search(viewer, cutText(question, MAX_QUERY), scope, signal);
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
    return openingText(notes, question, files, findPassages, (source) => citations.cite(source), contextTokens);
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
