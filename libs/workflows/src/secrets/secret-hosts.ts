import { domainToASCII } from 'node:url';
import { ValidationError } from '@app/common';

const MOST_HOSTS = 20;
/** What would end a host in an address, or stand before it. */
const NO_HOST = /[\s/\\?#@%]/;
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::([1-9]\d{0,4}))?$/;

/** As they are kept: lower case, ASCII, once each. Null for none. @throws ValidationError */
export function parseSecretHosts(given: readonly string[]): string[] | null {
  const hosts = new Set(given.map(parseHost));
  if (hosts.size > MOST_HOSTS) throw new ValidationError({ hosts: [`Name at most ${MOST_HOSTS} hosts.`] });
  return hosts.size === 0 ? null : [...hosts];
}

function parseHost(text: string): string {
  const written = text.trim().toLowerCase();
  const at = written.startsWith('[') ? -1 : written.lastIndexOf(':');
  const [name, port] = at < 0 ? [written, ''] : [written.slice(0, at), written.slice(at)];
  const host = (name.startsWith('[') ? name : domainToASCII(name.replace(/\.$/, ''))) + port;
  const found = NO_HOST.test(written) ? null : HOST.exec(host);
  if (!found || Number(found[1] ?? 0) > 65_535)
    throw new ValidationError({ hosts: ['Enter names of hosts, such as api.example.com or api.example.com:8443.'] });
  return host;
}
