/** When a message was written, as its head and whoever answers it say: it dates nothing that the message tells. */
const ENVELOPE =
  /^[> ]*(?:(?:Date|Sent|Gesendet|Datum|Envoyé|Enviado): .*\d{1,2}:\d\d.*|(?:On|Am|Le|El|Il|Op|Em) .{0,120}\d.{0,120}(?:wrote|schrieb.{0,80}|a écrit|escribió|ha scritto|schreef.{0,80}|escreveu) ?:)$/gmu;
const OF_MESSAGE =
  /(?<![\p{L}\p{M}])(?:e-?mails?|messages?|wr[io]te|written|sen[dt]|repl(?:y|ied)|answer(?:ed)?|nachricht|schrieb|schreib\p{L}*|geschrieben|gesendet|geschickt|antwort\p{L}*|écri\p{L}*|envoy\p{L}*|répond\p{L}*|courriel|correo|escri\p{L}*|envi\p{L}*|respond\p{L}*|scri\p{L}*|bericht|schreef|verstuur\p{L}*|mensagem|رسالة|كتب|أرسل)(?![\p{L}\p{M}])/iu;

/** What a statement says by itself, unless the message is what is asked about. */
export function withoutEnvelope(says: string, question: string): string {
  return OF_MESSAGE.test(question) ? says : says.replace(ENVELOPE, '');
}
