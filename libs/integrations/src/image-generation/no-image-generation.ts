import { UnavailableError } from '@app/common';
import { ImageGeneration, type MadePicture } from './image-generation.port.js';

/** Stands in where no model makes pictures. */
export class NoImageGeneration extends ImageGeneration {
  readonly available = false;
  readonly model = null;
  readonly onPremises = true;

  make(): Promise<MadePicture> {
    return Promise.reject(
      new UnavailableError('No model that makes pictures is configured.', { code: 'image_model_not_configured' }),
    );
  }
}
