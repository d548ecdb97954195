import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { BuiltinEmbeddings } from './embeddings/builtin-embeddings.js';
import { Embeddings } from './embeddings/embeddings.port.js';
import { NoEmbeddings } from './embeddings/no-embeddings.js';
import { OpenAiEmbeddings } from './embeddings/openai-embeddings.js';
import { FileStorage } from './file-storage/file-storage.port.js';
import { LocalFolderStorage } from './file-storage/local-folder.storage.js';
import { LanguageModel } from './language-model/language-model.port.js';
import { NoLanguageModel } from './language-model/no-language-model.js';
import { OpenAiLanguageModel } from './language-model/openai-language-model.js';

/** Binds every port to the adapter that the configuration names. Global: the ports are injected by their class. */
@Module({})
export class IntegrationsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: IntegrationsModule,
      global: true,
      providers: [
        { provide: FileStorage, useFactory: () => createFileStorage(config) },
        { provide: LanguageModel, useFactory: () => createLanguageModel(config) },
        { provide: Embeddings, useFactory: () => createEmbeddings(config) },
      ],
      exports: [FileStorage, LanguageModel, Embeddings],
    };
  }
}

export function createFileStorage(config: AppConfig): FileStorage {
  return new LocalFolderStorage(config.storage.folder);
}

export function createLanguageModel({ languageModel }: AppConfig): LanguageModel {
  const { baseUrl, apiKey, model, timeoutSeconds } = languageModel;
  if (languageModel.provider === 'quoting' || !baseUrl || !model) return new NoLanguageModel();
  return new OpenAiLanguageModel({ baseUrl, model, timeoutSeconds, ...(apiKey ? { apiKey } : {}) });
}

export function createEmbeddings({ embeddings, languageModel }: AppConfig): Embeddings {
  const { baseUrl, apiKey, model } = embeddings;
  if (embeddings.provider === 'builtin') return new BuiltinEmbeddings();
  if (embeddings.provider === 'off' || !baseUrl || !model) return new NoEmbeddings();
  return new OpenAiEmbeddings({
    baseUrl,
    model,
    timeoutSeconds: languageModel.timeoutSeconds,
    ...(apiKey ? { apiKey } : {}),
  });
}
