import { LanguageModel, type GeneratedAnswer, type ModelDescriptor, type ModelRequest } from '@app/integrations';
import type { AnchoredQuote, QuoteToAnchor, SourcePage, TableColumn } from '../kit.js';

export function column(name: string, more: Partial<TableColumn> = {}): TableColumn {
  const plain = { instruction: '', outputType: 'string' as const, format: null, required: false };
  return { name, ...plain, enum: null, reference: null, ...more };
}

export const page = (number: number, text: string): SourcePage => ({ number, text, ocr: false });

export interface SaidCellOf {
  column: string;
  value: string;
  quote: string;
  page?: number;
}

export const answerOf = (...rows: SaidCellOf[][]) => ({
  rows: rows.map((cells) => ({ cells: cells.map((cell) => ({ page: 1, ...cell })) })),
});

/** A model that a script answers for. */
export class ScriptedModel extends LanguageModel {
  readonly available = true;
  readonly asked: (ModelRequest & { document: string })[] = [];

  constructor(
    private readonly script: (request: ModelRequest & { document: string }, call: number) => unknown,
    private readonly contextWindow: number | null = null,
  ) {
    super();
  }

  get descriptor(): ModelDescriptor {
    return {
      id: 1,
      name: 'Scripted',
      value: 'scripted',
      provider: 'x',
      capability: 'chat',
      onPremises: true,
      contextWindow: this.contextWindow,
      maxOutputTokens: null,
      supports: {
        tools: false,
        structuredOutput: true,
        images: false,
        reasoning: false,
      },
    };
  }

  generate(request: ModelRequest): Promise<GeneratedAnswer> {
    const { content } = request.messages[0] as { content: string };
    const asked = { ...request, document: content };
    this.asked.push(asked);
    return Promise.resolve().then(() => {
      const object = this.script(asked, this.asked.length);
      return { text: '', object, model: 'scripted', promptTokens: 1, completionTokens: 1 };
    });
  }

  streamAnswer(): never {
    throw new Error('not asked');
  }

  streamStep(): never {
    throw new Error('not asked');
  }
}

/** Exact occurrences alone; those of one quote in the order in which they are asked for. */
export function anchorExactly(
  pages: readonly SourcePage[],
  quotes: readonly QuoteToAnchor[],
): Promise<AnchoredQuote[]> {
  const next = new Map<string, number>();
  return Promise.resolve(
    quotes.map(({ quote }) => {
      const places = pages.flatMap(({ number, text }) => {
        const found = [];
        for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) found.push({ number, at });
        return found;
      });
      const at = next.get(quote) ?? 0;
      next.set(quote, at + 1);
      const place = places[at] ?? places.at(-1);
      const where = { spans: [], pageWidth: null, pageHeight: null, place: null, ambiguous: false };
      if (!place) return { anchor: 'none', quote: '', page: null, start: null, end: null, ...where };
      return { anchor: 'exact', quote, page: place.number, start: place.at, end: place.at + quote.length, ...where };
    }),
  );
}
