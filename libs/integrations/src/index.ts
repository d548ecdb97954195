export { Antivirus, type ScanVerdict } from './antivirus/antivirus.port.js';
export { ClamdAntivirus, type ClamdOptions } from './antivirus/clamd-antivirus.js';
export { BuiltinEmbeddings } from './embeddings/builtin-embeddings.js';
export { Embeddings } from './embeddings/embeddings.port.js';
export { NoEmbeddings } from './embeddings/no-embeddings.js';
export { ThreadedEmbeddings } from './embeddings/threaded-embeddings.js';
export { OpenAiEmbeddings } from './embeddings/openai-embeddings.js';
export { ExternalSharing, type ExternalReader } from './external-sharing/external-sharing.port.js';
export { FileMissingError, InvalidFileKeyError } from './file-storage/file-key.js';
export {
  FileStorage,
  type ByteRange,
  type LocalFile,
  type OpenedFile,
  type StoredFile,
} from './file-storage/file-storage.port.js';
export { LocalFolderStorage } from './file-storage/local-folder.storage.js';
export { StorageUnavailableError } from './file-storage/storage-unavailable.error.js';
export {
  ImageGeneration,
  type MadePicture,
  type PictureRequest,
  type PictureShape,
} from './image-generation/image-generation.port.js';
export { NoImageGeneration } from './image-generation/no-image-generation.js';
export { OpenAiImageGeneration, type OpenAiImageOptions } from './image-generation/openai-image-generation.js';
export { IntegrationsModule, createAntivirus, createEmbeddings, createFileStorage } from './integrations.module.js';
export { findProblem } from './json-schema/find-problem.js';
export {
  type AnswerStream,
  type GeneratedAnswer,
  LanguageModel,
  type ModelDescriptor,
  type ModelImage,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  NO_NAME,
  NO_SUCH_TOOL,
  type ProviderData,
  type StepEnd,
  type StepPart,
  type StepRequest,
  type StepStream,
  type TokenUsage,
  type ToolCall,
  type ToolOutcome,
  type UsageContext,
} from './language-model/language-model.port.js';
export { NativeLanguageModel, type NativeModelOptions } from './language-model/native-language-model.js';
export { ChosenModels } from './language-model/chosen-models.port.js';
export { NoLanguageModel } from './language-model/no-language-model.js';
export {
  type ListedEndpoint,
  listOfferedModels,
  listsModels,
  type OfferedModel,
} from './language-model/listed-models.js';
export { EndpointFault, faultOf, MODEL_FAILURES } from './language-model/endpoint-fault.js';
export { OpenAiLanguageModel, textOf, type OpenAiModelOptions } from './language-model/openai-language-model.js';
export { toSoundSchema } from './language-model/tool-schema.js';
export { MailTransport, type MailAttachment, type OutgoingMail } from './mail/mail.port.js';
export { DeliveryError } from './outbox/delivery-error.js';
export { makeProcessFolder } from './file-storage/process-folder.js';
export { ScratchFiles } from './file-storage/scratch-files.js';
export { HttpExtractorService } from './extractor/http-extractor-service.js';
export { NoExtractorService } from './extractor/no-extractor-service.js';
export {
  type ExtractorBytes,
  type ExtractorCall,
  type ExtractorCaller,
  ExtractorService,
} from './extractor/extractor-service.port.js';
export { EndpointReranker } from './reranker/endpoint-reranker.js';
export { NoReranker } from './reranker/no-reranker.js';
export { Reranker } from './reranker/reranker.port.js';
export { type OutgoingSms, SmsTransport } from './sms/sms.port.js';
export { Subscriptions } from './subscriptions/subscriptions.port.js';
export { EgressError, type EgressFailure } from './guarded-fetch/egress-error.js';
export { EgressGuard, type EgressOptions } from './guarded-fetch/egress-guard.js';
export { GuardedFetch, type GuardedRequest, type GuardedResponse } from './guarded-fetch/guarded-fetch.js';
export type { RequestBody, StreamedBody } from './guarded-fetch/request-body.js';
export { isPublicAddress } from './guarded-fetch/public-address.js';
export * from './sources/index.js';
export { SharepointSharing } from './external-sharing/sharepoint-sharing.js';
export { withTrace } from './guarded-fetch/with-trace.js';
export * from './payments/payment-processor.port.js';
export { NoPaymentProcessor } from './payments/no-payment-processor.js';
