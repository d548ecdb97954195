import { type HttpPort, type HttpRequest, type HttpResponse, ToolError } from '@app/workflow-definition';

const SHOWN_ADDRESS = 2_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The way out for calls of a model: a host that leads elsewhere is not followed. Where it leads is told, so that the
 * model may call it, which is asked about like any other address.
 */
export class StayingHttp implements HttpPort {
  constructor(private readonly http: HttpPort) {}

  /** @throws ToolError `redirects_elsewhere`; what the port throws */
  async request(address: string | URL, request: HttpRequest): Promise<HttpResponse> {
    const response = await this.http.request(address, { ...request, staysAtHost: true });
    const location = [response.headers.location].flat()[0];
    if (!REDIRECTS.has(response.status) || location === undefined) return response;
    response.body.destroy();
    const target = URL.parse(location, response.url.href)?.href.slice(0, SHOWN_ADDRESS) ?? 'no valid address';
    throw new ToolError(
      'redirects_elsewhere',
      `${response.url.origin} redirects to another host, which was not called: ${target} . If that is what the user wants, call that address itself.`,
      false,
    );
  }
}
