import { isObject } from './is-object.js';

type Json = Record<string, unknown>;

const THOUGHTS = ['reasoning_content', 'reasoning'] as const;

/**
 * What an endpoint of the OpenAI protocol tells beside its text and wants back with the message: thoughts under the name
 * that it has for them, OpenRouter's `reasoning_details` entry by entry, Gemini's signatures in `extra_content`.
 */
export class GivenBack {
  private readonly thoughts: Partial<Record<(typeof THOUGHTS)[number], string>> = {};
  private readonly details: Json[] = [];
  private extra: unknown;

  /** @param delta of a streamed answer, or a whole message @returns what of it was thought, in words */
  read(delta: Json): string {
    const { reasoning_details: details, extra_content: extra } = delta;
    if (Array.isArray(details)) for (const one of details as unknown[]) if (isObject(one)) this.addDetail(one);
    if (isObject(extra)) this.extra = extra;
    for (const name of THOUGHTS) {
      const thought = delta[name];
      if (typeof thought !== 'string' || thought === '') continue;
      this.thoughts[name] = (this.thoughts[name] ?? '') + thought;
      return thought;
    }
    return '';
  }

  /** As members of the assistant message. */
  members(): Json {
    if (this.details.length > 0) return { reasoning_details: this.details, ...this.extraMember() };
    return { ...this.thoughts, ...this.extraMember() };
  }

  private extraMember(): Json {
    return this.extra === undefined ? {} : { extra_content: this.extra };
  }

  /** Pieces of one entry follow each other; what is encrypted comes whole. */
  private addDetail(detail: Json): void {
    const last = this.details.at(-1);
    const isSame = last?.type === detail.type && last?.index === detail.index && !isWhole(detail);
    if (!last || !isSame || (last.id ?? detail.id) !== (detail.id ?? last.id)) {
      this.details.push({ ...detail });
      return;
    }
    for (const [name, value] of Object.entries(detail)) {
      const isText = name === 'text' || name === 'summary';
      if (isText && typeof value === 'string' && typeof last[name] === 'string') last[name] = last[name] + value;
      else if (value !== null && value !== undefined) last[name] = value;
    }
  }
}

function isWhole({ type }: Json): boolean {
  return type !== 'reasoning.text' && type !== 'reasoning.summary';
}
