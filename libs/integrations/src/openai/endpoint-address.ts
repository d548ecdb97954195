const AZURE = /(?:^|\.)(?:openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/;

export interface EndpointAddress {
  /** Of one operation, such as `/chat/completions`; a query of the base address stays at the end. */
  url(path: string): string;
  headers: Record<string, string>;
}

/**
 * Where an endpoint of the OpenAI protocol is, and how it is told who asks. Azure names a deployment in the path and the
 * version in the query (`…/openai/deployments/<name>?api-version=…`), and takes keys in a header of its own.
 * @param baseUrl an http or https address, usually ending in /v1
 */
export function endpointAddress(baseUrl: string, apiKey: string | undefined): EndpointAddress {
  const { origin, pathname, search, hostname } = new URL(baseUrl);
  const base = origin + pathname.replace(/\/+$/, '');
  const headers: Record<string, string> =
    apiKey === undefined
      ? {}
      : { authorization: `Bearer ${apiKey}`, ...(AZURE.test(hostname) && { 'api-key': apiKey }) };
  return { url: (path) => base + path + search, headers };
}
