/**
 * What an endpoint may refuse of a request that is right in itself, in words that say nothing of the request: fields that
 * it does not know (`temperature`, …), and forms that it wants (`reasoning_back`: thoughts with every earlier step).
 */
export const REFUSALS = [
  'temperature',
  'reasoning_effort',
  'max_tokens',
  'max_completion_tokens',
  'stream_options',
  'strict',
  'response_format',
  'tool_choice',
  /** Of a picture. */
  'size',
  /** Marks up to which a prompt is cached. */
  'cache_control',
  /** Thoughts that were given back. */
  'reasoning_given',
  /** It wants thoughts with every earlier step. */
  'reasoning_back',
  /** It wants a signature with every earlier call. */
  'signature_back',
  /** It wants ids of nine letters and digits. */
  'call_ids',
  'system',
  /** It wants user and assistant in turns. */
  'alternation',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** What it lacks altogether: nothing helps but another model. */
export type Lack = 'tools' | 'images';

const STATUSES = new Set([400, 404, 405, 422, 500, 501]);
const MAX_LENGTH = 800;
/** Errors that echo the request name every field of it. */
const ECHO = /["']?messages["']?\s*:\s*\[/;
const SAYS_NO =
  /not (?:be )?(?:support|permit|allow|enabl|accept|implement|exist|available)|n't support|unsupported|unavailable|unrecogni[sz]ed|unknown|unexpected|forbidden|invalid|deprecated|disabled|must|requir|missing|cannot|can't|only|exceed|too (?:large|high|big)|at most|less than|fail|no endpoints/i;

/** What an error says of its own. */
export const withoutEcho = (message: string): string => message.split(ECHO, 1)[0]!;
const wordsOf = (message: string) => withoutEcho(message).slice(0, MAX_LENGTH);

const PATTERNS: Readonly<Record<Refusal, RegExp>> = {
  temperature: /\btemperature\b/i,
  reasoning_effort:
    /reasoning[_. ]?effort|does not support thinking|thinking is not supported|adaptive thinking|thinking[_. ]?(?:budget|level|config)|output_config\.effort|\beffort\b.{0,40}not supported/i,
  max_tokens: /\bmax_tokens\b|max_output_tokens|maxOutputTokens/i,
  max_completion_tokens: /max_completion_tokens/i,
  stream_options: /stream_options|include_usage/i,
  strict: /\bstrict\b|invalid schema for response_format|'additionalProperties' is required|'required' is required/i,
  response_format:
    /response[_ ]?(?:format|schema)|json[_ ]?schema|structured outputs?|output_config\.format|output_format|\bgrammar\b|guided_json/i,
  tool_choice: /tool[_ ]choice/i,
  size: /\bsize\b/i,
  cache_control: /cache_?(?:control|point)|prompt caching/i,
  reasoning_given:
    /reasoning_content|reasoning_details|property 'reasoning'|messages[^a-z]+\d+[^a-z]+(?:assistant)?[^a-z]*reasoning/i,
  reasoning_back:
    /(?:missing|must (?:include|contain|have)|requires?)\W{1,4}(?:\w+\W+){0,3}reasoning_content|reasoning_content\W[\s\S]{0,100}(?:missing|must be|required)/i,
  signature_back: /missing an? [`"']?thought_?signature/i,
  call_ids: /tool[ _]?call[ _]?ids?\b[\s\S]{0,80}(?:must be|length|pattern|a-z)/i,
  system:
    /system (?:role|message|prompt|instruction)s? (?:is |are )?not (?:supported|enabled)|(?:does not|doesn't) support (?:the )?(?:'|")?system|(?:developer|system) instruction is not enabled/i,
  alternation: /roles? must alternate|must alternate between|alternate user\/assistant/i,
};

const LACKS: Readonly<Record<Lack, RegExp>> = {
  tools:
    /does not support (?:tools|tool use|function)|support tool use|(?:tool use|tools|function calling) (?:is|are) not (?:supported|enabled)|tools param requires|enable-auto-tool-choice/i,
  images:
    /(?:does not|doesn't|not) support(?:ed)? (?:image|vision|multimodal)|support image input|image(?:s|_url| input)? (?:is|are) not supported|not a multimodal model|unknown variant `image_url`/i,
};

export interface HttpRefusal {
  status: number;
  /** Member of the request that the error names, if it does. */
  param: unknown;
  /** What the error says. */
  message: string;
}

/** All that an error speaks of. */
export function refusalsIn({ status, param, message }: HttpRefusal): Refusal[] {
  const words = wordsOf(message);
  if (!STATUSES.has(status) || !SAYS_NO.test(words)) return [];
  // Asked for, not refused.
  const wanted = (['reasoning_back', 'signature_back'] as const).filter((one) => PATTERNS[one].test(words));
  if (wanted.length > 0) return wanted;
  const named = typeof param === 'string' ? REFUSALS.filter((one) => PATTERNS[one].test(param)) : [];
  const found = named.length > 0 ? named : REFUSALS.filter((one) => PATTERNS[one].test(words));
  if (found.includes('response_format') && PATTERNS.strict.test(words)) return ['strict', 'response_format'];
  return found;
}

/** What the endpoint says that it lacks altogether; null for nothing. */
export function lackIn({ status, message }: HttpRefusal): Lack | null {
  if (!STATUSES.has(status)) return null;
  const words = wordsOf(message);
  if (LACKS.tools.test(words)) return 'tools';
  return LACKS.images.test(words) ? 'images' : null;
}

/** The field is known, its value is too much. */
export function isTooMuch(message: string): boolean {
  return /too (?:large|high|big)|at most|less than or equal|greater than|exceed|maximum (?:value|allowed)|<= ?\d/i.test(
    wordsOf(message),
  );
}
