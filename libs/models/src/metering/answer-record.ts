import type { StepPart, ToolCall } from '@app/integrations';

/** Of one answer: what is longer is not kept. */
const MAX_CHARACTERS = 400_000;

/** What has come of an answer: how much, and, where somebody wants to know, what. */
export class AnswerRecord {
  characters = 0;
  private readonly texts: string[] = [];
  private readonly thoughts: string[] = [];
  readonly toolCalls: ToolCall[] = [];

  /** @param isKept whether more than the length is */
  constructor(private readonly isKept: boolean) {}

  take(part: StepPart): void {
    const isCall = part.type === 'tool_call';
    this.characters += isCall ? JSON.stringify(part.call.input).length : part.text.length;
    if (!this.isKept || this.characters > MAX_CHARACTERS) return;
    if (isCall) this.toolCalls.push(part.call);
    else (part.type === 'text' ? this.texts : this.thoughts).push(part.text);
  }

  get text(): string {
    return this.texts.join('');
  }

  get reasoning(): string {
    return this.thoughts.join('');
  }
}
