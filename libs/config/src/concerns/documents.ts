import { choice, flag, integer, list, optionalText, text, webAddress } from '../setting.js';

/** Where files lie, and how they are read, indexed and asked. */
export const documentConcerns = {
  storage: {
    provider: choice(
      'STORAGE_PROVIDER',
      'Where uploaded and produced files lie: in a folder, or in a bucket that speaks the S3 protocol',
      ['local', 's3'],
      'local',
    ),
    folder: text('STORAGE_DIR', 'Folder in which files lie; with s3 only those on their way', '.data/files'),
    maxUploadBytes: integer('MAX_UPLOAD_BYTES', 'Largest single file that may be uploaded, in bytes', 104_857_600, {
      min: 1024,
      max: 10_737_418_240,
    }),
    quotaBytes: integer(
      'STORAGE_QUOTA_BYTES',
      'Bytes that one user may store where no plan says otherwise; 0 for as many as there is room for',
      53_687_091_200,
      { min: 0, max: 1_125_899_906_842_624 },
    ),
  },
  archives: {
    files: integer('ARCHIVE_MAX_FILES', 'Most files in the ZIP archives that are uploaded together', 1_000, {
      min: 1,
      max: 20_000,
    }),
    totalBytes: integer('ARCHIVE_MAX_BYTES', 'Most bytes to which they may unpack together', 2_147_483_648, {
      min: 1024,
      max: 107_374_182_400,
    }),
    ratio: integer('ARCHIVE_MAX_RATIO', 'How many times as large as it is packed a file in them may become', 100, {
      min: 2,
      max: 1_100,
    }),
  },
  s3: {
    endpoint: optionalText('S3_ENDPOINT', 'Address of the S3 service; that of AWS in S3_REGION when empty'),
    region: text('S3_REGION', 'Region of the bucket', 'us-east-1'),
    bucket: optionalText('S3_BUCKET', 'Bucket in which files lie'),
    accessKeyId: optionalText(
      'S3_ACCESS_KEY_ID',
      'Access key for the bucket; the role of the machine or container is used when empty',
    ),
    secretAccessKey: optionalText('S3_SECRET_ACCESS_KEY', 'Secret of that access key', { secret: true }),
    forcePathStyle: flag(
      'S3_FORCE_PATH_STYLE',
      'Whether the bucket is named in the path instead of the host name, as most services other than AWS want it',
      false,
    ),
    prefix: optionalText('S3_PREFIX', 'Put before every key, so that deployments can share a bucket, such as atrium/'),
  },
  antivirus: {
    provider: choice(
      'ANTIVIRUS',
      'Who looks for viruses in files that come in: nobody beyond the built-in checks, or ClamAV',
      ['off', 'clamd'],
      'off',
    ),
    host: text('CLAMD_HOST', 'Host of clamd', '127.0.0.1'),
    port: integer('CLAMD_PORT', 'TCP port of clamd', 3310, { min: 1, max: 65_535 }),
    socket: optionalText('CLAMD_SOCKET', 'Unix socket of clamd; goes before host and port'),
    timeoutSeconds: integer('CLAMD_TIMEOUT_SECONDS', 'Seconds that the scan of one file may take', 60, {
      min: 1,
      max: 600,
    }),
  },
  indexing: {
    concurrency: integer('INDEXER_CONCURRENCY', 'Documents that one indexer works on at a time', 2, {
      min: 1,
      max: 64,
    }),
    extractionTimeoutSeconds: integer(
      'EXTRACTION_TIMEOUT_SECONDS',
      'Seconds after which reading one document is given up',
      600,
      { min: 10, max: 7200 },
    ),
    reindexOld: choice(
      'REINDEX_OLD',
      'Which documents are read again in the background when a release reads files better than the one that indexed them: all, text (all but scans, whose pages take seconds each) or off',
      ['all', 'text', 'off'],
      'all',
    ),
    ocrLanguages: list(
      'OCR_LANGUAGES',
      'Languages in which text is recognised, the likeliest first; eng, ara, deu, fra and spa come along',
      'eng,ara,deu,fra,spa',
    ),
    ocrDataFolder: optionalText(
      'OCR_DATA_FOLDER',
      'Folder of the indexer with data of further languages (xyz.traineddata)',
    ),
    trashRetentionDays: integer('SEMANTIC_TRASH_RETENTION_DAYS', 'Days that a trashed document can be restored', 30, {
      min: 1,
      max: 3650,
    }),
  },
  tableQueries: {
    atOnce: integer(
      'TABLE_QUERIES_AT_ONCE',
      'Queries over table files that one api or workflow-runner runs at a time, each in a process',
      2,
      {
        min: 1,
        max: 32,
      },
    ),
    seconds: integer('TABLE_QUERY_SECONDS', 'Seconds after which a query over table files is ended', 30, {
      min: 1,
      max: 30,
    }),
    memoryMb: integer('TABLE_QUERY_MEMORY_MB', 'Megabytes that such a query may use; its process twice as many', 512, {
      min: 64,
      max: 65_536,
    }),
  },
  sources: {
    folders: list('SOURCE_FOLDERS', 'Folders of the server from which staff may import documents, comma-separated'),
    hosts: list(
      'SOURCE_HOSTS',
      'Hosts of the own network that external sources may call, as host or host:port, comma-separated; others must be public and speak https',
    ),
    maxRows: integer('SOURCE_MAX_ROWS', 'Rows that a table of an external source may have to be imported', 50_000, {
      min: 1,
      max: 1_000_000,
    }),
    graphUrl: webAddress('SHAREPOINT_GRAPH_URL', 'Address of Microsoft Graph', 'https://graph.microsoft.com/v1.0'),
    loginUrl: webAddress(
      'SHAREPOINT_LOGIN_URL',
      'Address at which Microsoft gives access tokens',
      'https://login.microsoftonline.com',
    ),
  },
};
