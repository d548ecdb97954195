import { BadGatewayError, InvalidRequestError } from '@app/common';
import { isPrivateAddress } from '@app/config';
import { EndpointFault, faultOf, toModelError } from '../language-model/endpoint-fault.js';
import { postJson } from '../language-model/endpoint-post.js';
import { isObject } from '../language-model/is-object.js';
import type { TokenUsage } from '../language-model/language-model.port.js';
import type { Refusal } from '../language-model/refusals.js';
import { RequestHabits, type RequestTrial } from '../language-model/request-habits.js';
import { toTokenUsage } from '../language-model/token-usage.js';
import { endpointAddress } from '../openai/endpoint-address.js';
import { ImageGeneration, type MadePicture, type PictureRequest, type PictureShape } from './image-generation.port.js';
import { pictureType } from './picture-type.js';

export interface OpenAiImageOptions {
  /** Ends in /v1. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  timeoutSeconds: number;
  headers?: Readonly<Record<string, string>>;
  extraBody?: Readonly<Record<string, unknown>>;
  /** As the address says unless told. */
  onPremises?: boolean;
}

const SIZES: Readonly<Record<PictureShape, string>> = {
  square: '1024x1024',
  landscape: '1536x1024',
  portrait: '1024x1536',
};
const MAX_PROMPT = 32_000;
/** What vendors call a picture that they do not want to make. */
const UNWANTED = new Set(['moderation_blocked', 'content_policy_violation', 'content_filter']);

/** One try at an endpoint of OpenAI's images protocol: OpenAI, Azure, LocalAI, LiteLLM and others. */
export class OpenAiImageGeneration extends ImageGeneration {
  readonly available = true;
  readonly model: string;
  readonly onPremises: boolean;
  private readonly habits = new RequestHabits();
  private readonly endpoint: { url: string; headers: Record<string, string> };

  constructor(private readonly options: OpenAiImageOptions) {
    super();
    const { url, headers } = endpointAddress(options.baseUrl, options.apiKey);
    this.endpoint = { url: url('/images/generations'), headers: { ...headers, ...options.headers } };
    this.model = options.model;
    this.onPremises = options.onPremises ?? isPrivateAddress(new URL(options.baseUrl).hostname);
  }

  /** With what the endpoint has counted, if it counts. */
  async make(request: PictureRequest): Promise<MadePicture & { tokens: TokenUsage | null }> {
    if (request.prompt.trim() === '' || request.prompt.length > MAX_PROMPT)
      throw new InvalidRequestError(`A picture is described in 1 to ${MAX_PROMPT} characters.`, {
        code: 'invalid_prompt',
      });
    const timeout = AbortSignal.timeout(this.options.timeoutSeconds * 1000);
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
    try {
      return this.read(await this.accepted(request, signal));
    } catch (error) {
      throw refusedOr(toModelError(error, signal, request.signal));
    }
  }

  private async accepted(request: PictureRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    for (const trial = this.habits.begin(); ;) {
      const { body, sent } = this.write(request, trial);
      try {
        const answer = await postJson({ ...this.endpoint, body, signal });
        trial.keep();
        return answer;
      } catch (error) {
        if (!(error instanceof EndpointFault) || !trial.adapt(error, sent)) throw error;
      }
    }
  }

  private write({ prompt, shape = 'square' }: PictureRequest, trial: RequestTrial) {
    const sent = (['response_format', 'size'] as const).filter(
      (one): one is Refusal & typeof one => !trial.avoids(one),
    );
    const body = {
      model: this.model,
      prompt,
      n: 1,
      ...(sent.includes('size') && { size: SIZES[shape] }),
      ...(sent.includes('response_format') && { response_format: 'b64_json' }),
      ...this.options.extraBody,
    };
    return { body, sent };
  }

  /** An address in place of the picture is not followed: it may be any. */
  private read(answer: Record<string, unknown>): MadePicture & { tokens: TokenUsage | null } {
    const first: unknown = Array.isArray(answer.data) ? answer.data[0] : undefined;
    const text = isObject(first) ? first.b64_json : undefined;
    const data = typeof text === 'string' ? Buffer.from(text, 'base64') : Buffer.alloc(0);
    const mediaType = pictureType(data);
    if (mediaType === null)
      throw new EndpointFault('The endpoint did not answer with a picture in Base64 (PNG, JPEG or WebP).', {
        isOfEndpoint: false,
      });
    const usage = isObject(answer.usage) ? answer.usage : {};
    return { mediaType, data, model: this.model, tokens: toTokenUsage(usage.input_tokens, usage.output_tokens) };
  }
}

function refusedOr(error: unknown): unknown {
  const word = faultOf(error)?.word;
  if (!(error instanceof BadGatewayError) || !word || !UNWANTED.has(word)) return error;
  return new InvalidRequestError('The model does not want to make this picture.', {
    code: 'picture_refused',
    cause: error.cause,
  });
}
