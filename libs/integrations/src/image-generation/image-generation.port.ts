import type { TokenUsage, UsageContext } from '../language-model/language-model.port.js';

export type PictureShape = 'square' | 'landscape' | 'portrait';

export interface PictureRequest {
  /** What is to be seen; 1 to 32,000 characters. */
  prompt: string;
  /** `square` unless told. */
  shape?: PictureShape;
  signal?: AbortSignal;
  /** Absent: the call is metered without a user. */
  usage?: UsageContext;
}

export interface MadePicture {
  /** By its bytes: `image/png`, `image/jpeg` or `image/webp`. */
  mediaType: string;
  data: Uint8Array;
  /** Who made it, as the endpoint knows it. */
  model: string;
  /** With what it cost, where that is counted. */
  usage?: TokenUsage;
}

/**
 * Whoever makes pictures. Throws `UnavailableError` (`image_model_not_configured`) when `available` is false, and for
 * endpoints that fail what `LanguageModel` throws; `InvalidRequestError` (`picture_refused`) where the endpoint does not
 * want to make this picture.
 */
export abstract class ImageGeneration {
  /** False: no model of the capability `image_gen` is configured. */
  abstract readonly available: boolean;
  /** As the endpoint knows it; null when none is configured. */
  abstract readonly model: string | null;
  /** Whether prompts stay on the deployment's own machines. */
  abstract readonly onPremises: boolean;

  abstract make(request: PictureRequest): Promise<MadePicture>;
}
