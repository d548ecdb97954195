import { choice, flag, integer, list, optionalText, optionalWebAddress, text, webAddress } from '../setting.js';

/** Messages to people, and what those who run a deployment see and decide. */
export const operationConcerns = {
  mail: {
    provider: choice(
      'MAIL_PROVIDER',
      'Where mails go: into a folder as readable files, to a mail server, or nowhere',
      ['outbox', 'smtp', 'off'],
      'outbox',
    ),
    from: text('MAIL_FROM', 'Sender of the mails', 'Atrium <no-reply@atrium.invalid>'),
    smtpUrl: optionalText(
      'SMTP_URL',
      'Mail server with user and password, such as smtps://user:password@mail.example',
      {
        secret: true,
      },
    ),
    outboxFolder: text('OUTBOX_DIR', 'Folder for mails and text messages that no provider sends', '.data/outbox'),
    reviewers: list(
      'REVIEWER_EMAILS',
      'Addresses that are told when an account waits for approval, comma-separated; where empty, all staff are',
    ),
  },
  sms: {
    provider: choice(
      'SMS_PROVIDER',
      'Where text messages go: into the same folder, to Twilio, or nowhere',
      ['outbox', 'twilio', 'off'],
      'outbox',
    ),
    channel: choice('SMS_CHANNEL', 'How Twilio delivers them', ['sms', 'whatsapp'], 'sms'),
    baseUrl: webAddress('TWILIO_BASE_URL', "Address of Twilio's API", 'https://api.twilio.com'),
    accountSid: optionalText('TWILIO_ACCOUNT_SID', 'Account at Twilio'),
    authToken: optionalText('TWILIO_AUTH_TOKEN', 'Token of the account at Twilio', { secret: true }),
    from: optionalText('TWILIO_FROM', 'Sender at Twilio: a number with its plus sign, or a messaging service (MG...)'),
  },
  tracing: {
    endpoint: optionalWebAddress(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'Where traces go (OpenTelemetry, OTLP over HTTP, such as http://collector:4318); none are made without. The other OTEL_ variables of exporters, samplers and resources hold, too',
    ),
    protocol: choice(
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'How they are written',
      ['http/protobuf', 'http/json'],
      'http/protobuf',
    ),
  },
  health: {
    port: integer('HEALTH_PORT', 'Internal port of each app for /healthz/, /readyz/ and /metrics/; 0 for none', 0, {
      min: 0,
      max: 65_535,
    }),
    hangSeconds: integer(
      'HANG_SECONDS',
      'A process whose event loop has stood still for so many seconds ends itself, to be started again; 0 for never',
      60,
      { min: 0, max: 86_400 },
    ),
  },
  shutdown: {
    delaySeconds: integer(
      'SHUTDOWN_DELAY_SECONDS',
      'Seconds that an api told to stop (SIGTERM) goes on serving while /readyz/ says no: a little longer than the load balancer takes to notice',
      0,
      { min: 0, max: 300 },
    ),
    drainSeconds: integer(
      'SHUTDOWN_DRAIN_SECONDS',
      'Seconds that an api told to stop (SIGTERM) then gives the calls that are being answered; it ends as soon as nobody waits',
      20,
      { min: 0, max: 3600 },
    ),
  },
  demo: {
    password: text('DEMO_PASSWORD', 'Password of the demo account that npm start makes', 'demo-atrium-2026', {
      secret: true,
    }),
  },
  logging: {
    level: choice(
      'LOG_LEVEL',
      'Least severe log line that is written',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace'],
      'info',
    ),
    requests: flag('LOG_REQUESTS', 'Whether each HTTP request gets a log line', true),
  },
};
