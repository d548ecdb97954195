const ODF = 'urn:oasis:names:tc:opendocument:xmlns:';
const OPEN_XML = /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/(.+)$/;

const OPEN_XML_PREFIXES: readonly [RegExp, string][] = [
  [/^wordprocessingml\/(?:2006\/)?main$/, 'w'],
  [/^presentationml\/(?:2006\/)?main$/, 'p'],
  [/^spreadsheetml\/(?:2006\/)?main$/, 'x'],
  [/^drawingml\/(?:2006\/)?main$/, 'a'],
  [/^drawingml\/(?:2006\/)?chart$/, 'c'],
  [/^drawingml\/(?:2006\/)?diagram$/, 'dgm'],
  [/^drawingml\/(?:2006\/)?wordprocessingDrawing$/, 'wp'],
  [/^drawingml\/(?:2006\/)?spreadsheetDrawing$/, 'xdr'],
  [/^officeDocument\/(?:2006\/)?relationships$/, 'r'],
  [/^officeDocument\/(?:2006\/)?math$/, 'm'],
  [/^markup-compatibility\/2006$/, 'mc'],
  [/^package\/2006\/relationships$/, 'rel'],
];

const OTHERS: Readonly<Record<string, string>> = {
  'http://schemas.microsoft.com/office/word/2010/wordprocessingShape': 'wps',
  'http://schemas.microsoft.com/office/word/2010/wordprocessingGroup': 'wpg',
  'http://schemas.microsoft.com/office/powerpoint/2018/8/main': 'p188',
  'http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments': 'tc',
  'urn:schemas-microsoft-com:vml': 'v',
  'http://www.w3.org/1999/xlink': 'xlink',
  'http://www.w3.org/XML/1998/namespace': 'xml',
  'http://www.w3.org/2000/svg': 'svg',
  'http://www.w3.org/1998/Math/MathML': 'math',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://www.idpf.org/2007/opf': 'opf',
  'urn:oasis:names:tc:opendocument:xmlns:container': 'container',
};

const ODF_PREFIXES: Readonly<Record<string, string>> = {
  drawing: 'draw',
  'svg-compatible': 'svg',
  'xsl-fo-compatible': 'fo',
  datastyle: 'number',
};

/**
 * The prefix by which everybody writes a namespace. Files may choose any other (tools that write by machine do), and
 * strict Open XML has addresses of its own.
 */
export function usualPrefix(uri: string, written: string): string {
  const known = OTHERS[uri];
  if (known !== undefined) return known;
  if (uri.startsWith(ODF)) {
    const name = uri.slice(ODF.length).split(':')[0] ?? '';
    return ODF_PREFIXES[name] ?? name;
  }
  const openXml = OPEN_XML.exec(uri)?.[1];
  return OPEN_XML_PREFIXES.find(([address]) => openXml !== undefined && address.test(openXml))?.[1] ?? written;
}
