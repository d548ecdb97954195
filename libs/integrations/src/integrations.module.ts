import { join } from 'node:path';
import { type AppConfig, findEncoder } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { Antivirus } from './antivirus/antivirus.port.js';
import { ClamdAntivirus } from './antivirus/clamd-antivirus.js';
import { NoAntivirus } from './antivirus/no-antivirus.js';
import { BuiltinEmbeddings } from './embeddings/builtin-embeddings.js';
import { Embeddings } from './embeddings/embeddings.port.js';
import { NoEmbeddings } from './embeddings/no-embeddings.js';
import { OpenAiEmbeddings } from './embeddings/openai-embeddings.js';
import { ExternalSharing } from './external-sharing/external-sharing.port.js';
import { SharepointSharing } from './external-sharing/sharepoint-sharing.js';
import { ExtractorService } from './extractor/extractor-service.port.js';
import { HttpExtractorService } from './extractor/http-extractor-service.js';
import { NoExtractorService } from './extractor/no-extractor-service.js';
import { EgressGuard } from './guarded-fetch/egress-guard.js';
import { FileStorage } from './file-storage/file-storage.port.js';
import { LocalFolderStorage } from './file-storage/local-folder.storage.js';
import { MailTransport } from './mail/mail.port.js';
import { NoMail } from './mail/no-mail.js';
import { OutboxMail } from './mail/outbox-mail.js';
import { SmtpMail } from './mail/smtp-mail.js';
import { OutboxFolder } from './outbox/outbox-folder.js';
import { EndpointReranker } from './reranker/endpoint-reranker.js';
import { NoReranker } from './reranker/no-reranker.js';
import { Reranker } from './reranker/reranker.port.js';
import { NoSms } from './sms/no-sms.js';
import { OutboxSms } from './sms/outbox-sms.js';
import { SmsTransport } from './sms/sms.port.js';
import { SourceConnectors } from './sources/source-connectors.js';
import { TwilioSms } from './sms/twilio-sms.js';

/**
 * Binds every port to the adapter that the configuration names, but `LanguageModel`: that is up to `@app/models`.
 * Global: the ports are injected by their class.
 */
@Module({})
export class IntegrationsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: IntegrationsModule,
      global: true,
      providers: [
        { provide: FileStorage, useFactory: () => createFileStorage(config) },
        { provide: Antivirus, useFactory: () => createAntivirus(config) },
        { provide: Embeddings, useFactory: () => createEmbeddings(config) },
        { provide: Reranker, useFactory: () => createReranker(config) },
        { provide: MailTransport, useFactory: () => createMailTransport(config) },
        { provide: SmsTransport, useFactory: () => createSmsTransport(config) },
        { provide: SourceConnectors, useFactory: () => createSourceConnectors(config) },
        { provide: ExternalSharing, useFactory: () => createExternalSharing(config) },
        { provide: ExtractorService, useFactory: () => createExtractorService(config) },
      ],
      exports: [
        FileStorage,
        Antivirus,
        Embeddings,
        Reranker,
        MailTransport,
        SmsTransport,
        SourceConnectors,
        ExternalSharing,
        ExtractorService,
      ],
    };
  }
}

export async function createFileStorage({ storage, s3 }: AppConfig): Promise<FileStorage> {
  const { bucket, region, endpoint, accessKeyId, secretAccessKey, forcePathStyle, prefix = '' } = s3;
  if (storage.provider === 'local' || !bucket) return new LocalFolderStorage(storage.folder);
  // Its library is loaded where it is asked for.
  const { S3Storage } = await import('./file-storage/s3.storage.js');
  return new S3Storage({
    bucket,
    region,
    forcePathStyle,
    prefix,
    scratchFolder: join(storage.folder, '.downloads'),
    ...(endpoint ? { endpoint } : {}),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}

export function createAntivirus({ antivirus }: AppConfig): Antivirus {
  if (antivirus.provider === 'off') return new NoAntivirus();
  const { host, port, socket, timeoutSeconds } = antivirus;
  return new ClamdAntivirus({ address: socket ? { path: socket } : { host, port }, timeoutSeconds });
}

export function createSourceConnectors({ sources }: AppConfig): SourceConnectors {
  const { hosts, ...settings } = sources;
  return new SourceConnectors({ ...settings, guard: new EgressGuard({ allowedHosts: hosts }) });
}

export function createExternalSharing({ sources }: AppConfig): ExternalSharing {
  const { hosts, graphUrl, loginUrl } = sources;
  return new SharepointSharing({ graphUrl, loginUrl, guard: new EgressGuard({ allowedHosts: hosts }) });
}

export function createEmbeddings({ embeddings, languageModel, models }: AppConfig): Embeddings {
  const { weightPercent } = embeddings;
  const weight = weightPercent === undefined ? {} : { hybridWeight: weightPercent / 100 };
  if (embeddings.provider === 'builtin') return new BuiltinEmbeddings(weight);
  if (embeddings.provider === 'off' || !embeddings.model) return new NoEmbeddings();
  // Its address is that of a model of the list, unless it has one of its own.
  const listed = embeddings.baseUrl ? null : findEncoder(models.list, embeddings.model);
  const { baseUrl, apiKey, value: model = embeddings.model } = listed ?? { ...embeddings, value: undefined };
  if (!baseUrl) return new NoEmbeddings();
  return new OpenAiEmbeddings({
    baseUrl,
    model,
    timeoutSeconds: languageModel.timeoutSeconds,
    ...weight,
    ...(listed && { headers: listed.headers }),
    ...(apiKey ? { apiKey } : {}),
  });
}

export function createReranker({ reranker }: AppConfig): Reranker {
  const { baseUrl, apiKey, model, timeoutSeconds } = reranker;
  if (reranker.provider === 'off' || !baseUrl || !model) return new NoReranker();
  return new EndpointReranker({ baseUrl, model, timeoutSeconds, ...(apiKey ? { apiKey } : {}) });
}

export function createExtractorService({ extractor }: AppConfig): ExtractorService {
  const { kind, url: baseUrl, secret: apiKey, timeoutSeconds } = extractor;
  if (kind !== 'http' || !baseUrl) return new NoExtractorService();
  return new HttpExtractorService({ baseUrl, timeoutSeconds, ...(apiKey ? { apiKey } : {}) });
}

export function createMailTransport({ mail }: AppConfig): MailTransport {
  if (mail.provider === 'outbox') return new OutboxMail(new OutboxFolder(mail.outboxFolder), mail.from);
  if (mail.provider === 'off' || !mail.smtpUrl) return new NoMail();
  return new SmtpMail({ url: mail.smtpUrl, from: mail.from });
}

export function createSmsTransport({ mail, sms }: AppConfig): SmsTransport {
  if (sms.provider === 'outbox') return new OutboxSms(new OutboxFolder(mail.outboxFolder));
  const { accountSid, authToken, from, baseUrl, channel } = sms;
  if (sms.provider === 'off' || !accountSid || !authToken || !from) return new NoSms();
  return new TwilioSms({ baseUrl, accountSid, authToken, from, channel });
}
