import { ContentInfo, id_data, id_envelopedData, id_signedData, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import { fromBER, OctetString } from 'asn1js';
import { ExtractionError } from '../../extraction-error.js';
import type { EnclosedFile } from '../enclosed-file.js';

/**
 * The message, or the file, within a signature (RFC 8551, 3.5.2: `application/pkcs7-mime; smime-type=signed-data`). Who
 * signed is not looked at: it is read whoever sent it.
 * @throws ExtractionError `encrypted`, `damaged`
 */
export function signedContent(bytes: Buffer): Buffer {
  try {
    const { contentType, content: signed } = AsnConvert.parse(bytes, ContentInfo);
    if (contentType === id_envelopedData)
      throw new ExtractionError('encrypted', 'It is encrypted for who received it.');
    if (contentType === id_signedData) {
      const { encapContentInfo } = AsnConvert.parse(signed, SignedData);
      const { single, any } = encapContentInfo.eContent ?? {};
      const content = single?.buffer ?? (any && joined(any));
      if (encapContentInfo.eContentType === id_data && content) return Buffer.from(content);
    }
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError('damaged', 'It is no readable signed content.', { cause: error });
  }
  throw new ExtractionError('unsupported', 'It is signed in a way that is not read.');
}

/** Whoever signs as they read writes pieces. */
function joined(bytes: ArrayBuffer): ArrayBuffer | null {
  const { result } = fromBER(bytes);
  return result instanceof OctetString ? result.getValue() : null;
}

const SIGNED = /\.p7m$/i;

/** `invoice.xml.p7m`, a file that was signed, as Italian authorities want it, by what it is called within; others as they are. */
export function withoutSignature(file: EnclosedFile): EnclosedFile {
  if (!SIGNED.test(file.name) || /^smime\.p7m$/i.test(file.name)) return file;
  return {
    ...file,
    name: file.name.replace(SIGNED, ''),
    mimeType: '',
    bytes: () => signedContent(Buffer.from(file.bytes())),
  };
}
