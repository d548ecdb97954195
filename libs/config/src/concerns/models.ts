import {
  choice,
  flag,
  integer,
  list,
  optionalDecimal,
  optionalInteger,
  optionalText,
  optionalWebAddress,
} from '../setting.js';

/** The models that are called, and what their calls may take. */
export const modelConcerns = {
  languageModel: {
    provider: choice(
      'LLM_PROVIDER',
      'Who answers questions: the embedded quoting model, an endpoint that speaks the OpenAI protocol, or one of a vendor\'s own protocol (see "Language models")',
      ['quoting', 'openai', 'openai-responses', 'azure', 'anthropic', 'gemini', 'bedrock'],
      'quoting',
    ),
    baseUrl: optionalWebAddress(
      'LLM_BASE_URL',
      'Address of the language model endpoint, ending in /v1; of Azure with the deployment and ?api-version=',
    ),
    apiKey: optionalText('LLM_API_KEY', 'Key for the language model endpoint', { secret: true }),
    model: optionalText('LLM_MODEL', 'Model that the endpoint is asked for'),
    probes: flag(
      'LLM_PROBES',
      'Whether each model is asked for a word when the api starts, to tell at once of a wrong key, name or address',
      true,
    ),
    models: optionalText(
      'LLM_MODELS',
      'Several language models instead of one, as a JSON list (see "Language models"); LLM_BASE_URL and LLM_API_KEY serve those that name no base_url of their own',
      { secret: true },
    ),
    modelsFile: optionalText('LLM_MODELS_FILE', 'The same, in a file'),
    hosts: list(
      'LLM_HOSTS',
      'Hosts of the own network that models of people and organisations may live on, as host or host:port, comma-separated; others must be public and speak https',
    ),
    timeoutSeconds: integer('LLM_TIMEOUT_SECONDS', 'Seconds that a model call may take, or wait for its turn', 120, {
      min: 1,
      max: 3600,
    }),
    answerSeconds: integer(
      'LLM_ANSWER_SECONDS',
      'Seconds that a streamed answer may take while it flows; never less than LLM_TIMEOUT_SECONDS',
      600,
      { min: 1, max: 3600 },
    ),
    firstTokenSeconds: integer('LLM_FIRST_TOKEN_SECONDS', 'Seconds until a streamed answer must have begun', 60, {
      min: 1,
      max: 3600,
    }),
    silenceSeconds: integer('LLM_SILENCE_SECONDS', 'Seconds of silence after which a streamed answer is given up', 30, {
      min: 1,
      max: 3600,
    }),
  },
  queries: {
    rewriting: flag(
      'QUERY_REWRITING',
      'Whether a language model writes out, for the search alone, a question that leans on the conversation; the words of the question count all the same',
      true,
    ),
    splitting: flag(
      'QUERY_SPLITTING',
      'Whether the same call makes up to four searches of a question that asks for several things',
      true,
    ),
    model: optionalText(
      'QUERY_MODEL',
      'Who does that, by value, name or id, such as a small and cheap model; the model that answers unless set',
    ),
    timeoutSeconds: integer(
      'QUERY_TIMEOUT_SECONDS',
      'Seconds after which the search goes on with the words of the question',
      4,
      { min: 1, max: 60 },
    ),
  },
  costs: {
    tracking: flag(
      'COST_TRACKING',
      'Whether it is written down who uses language models for what, and can be read',
      true,
    ),
    usdRate: optionalDecimal(
      'USD_RATE',
      'What a US dollar is worth in the currency of LLM_MODELS, where that is another one: list prices of providers are in dollars, and stand apart without it',
      { above: 0, max: 1_000_000 },
    ),
    days: integer('COST_TRACKING_DAYS', 'Days that the use of language models is kept', 400, { min: 91, max: 36_500 }),
  },
  embeddings: {
    provider: choice(
      'EMBEDDINGS_PROVIDER',
      'Who computes vectors: nobody, an endpoint that speaks the OpenAI protocol, or the small built-in encoder (English)',
      ['off', 'openai', 'builtin'],
      'off',
    ),
    baseUrl: optionalWebAddress('EMBEDDINGS_BASE_URL', 'Address of the embeddings endpoint, ending in /v1'),
    apiKey: optionalText('EMBEDDINGS_API_KEY', 'Key for the embeddings endpoint', { secret: true }),
    model: optionalText(
      'EMBEDDINGS_MODEL',
      'Model that the embeddings endpoint is asked for; without EMBEDDINGS_BASE_URL a model of LLM_MODELS of the capability embed',
    ),
    weightPercent: optionalInteger(
      'EMBEDDINGS_WEIGHT_PERCENT',
      'Share of vectors beside words in hybrid search at most; less where both do not agree. Unless set, 50, and 20 for the built-in encoder',
      { min: 0, max: 100 },
    ),
  },
  reranker: {
    provider: choice(
      'RERANKER_PROVIDER',
      'Who reads the best passages once more and orders them: nobody, or an endpoint (Cohere, Jina, vLLM, LiteLLM)',
      ['off', 'endpoint'],
      'off',
    ),
    baseUrl: optionalWebAddress('RERANKER_BASE_URL', 'Address of the reranker, to which /rerank is added'),
    apiKey: optionalText('RERANKER_API_KEY', 'Key for the reranker', { secret: true }),
    model: optionalText('RERANKER_MODEL', 'Model that the reranker is asked for'),
    timeoutSeconds: integer(
      'RERANKER_TIMEOUT_SECONDS',
      'Seconds after which a search goes on without the reranker',
      3,
      {
        min: 1,
        max: 60,
      },
    ),
  },
};
