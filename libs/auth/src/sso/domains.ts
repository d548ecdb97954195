import { domainToASCII, domainToUnicode } from 'node:url';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{4,253}$)(?:${LABEL}\\.)+(?=[a-z])${LABEL}$`);

/** Domains under which everybody gets an address: none of them is an organisation's own. */
const PUBLIC_MAIL_DOMAINS = new Set(
  `126.com 139.com 163.com aol.com aol.co.uk aol.de aol.fr att.net bellsouth.net bigpond.com bluewin.ch btinternet.com
   comcast.net cox.net daum.net duck.com email.com fastmail.com fastmail.fm foxmail.com free.fr freenet.de gmail.com
   gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hanmail.net hey.com hotmail.co.uk hotmail.com hotmail.de
   hotmail.es hotmail.fr hotmail.it hushmail.com icloud.com inbox.com inbox.lv laposte.net libero.it list.ru live.co.uk
   live.com live.fr live.nl mac.com mail.com mail.ru mailbox.org mailinator.com me.com msn.com naver.com ntlworld.com
   orange.fr outlook.com outlook.de outlook.es outlook.fr pm.me posteo.de proton.me protonmail.ch protonmail.com qq.com
   rambler.ru rediffmail.com rocketmail.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sky.com sohu.com t-online.de
   talktalk.net tiscali.it tuta.com tutanota.com uol.com.br verizon.net virgilio.it virginmedia.com wanadoo.fr web.de
   wp.pl xtra.co.nz yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br
   yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru yeah.net ymail.com zoho.com`.split(/\s+/),
);

/**
 * The domain of a domain or of a whole e-mail address, in lower-case ASCII.
 * @returns null when it is none
 */
export function parseDomain(text: string): string | null {
  const domain = domainToASCII(
    text
      .slice(text.lastIndexOf('@') + 1)
      .trim()
      .replace(/\.$/, ''),
  ).toLowerCase();
  return DOMAIN.test(domain) ? domain : null;
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

export function isPublicMailDomain(domain: string): boolean {
  return PUBLIC_MAIL_DOMAINS.has(domain);
}

/** A name for an organisation that gives none: `Blue Hill` of `blue-hill.example`, `München` of `xn--mnchen-3ya.example`. */
export function organizationNameOf(domain: string): string {
  const words = domainToUnicode(domain).split('.')[0]!.split('-').filter(Boolean);
  return words.map(([first = '', ...rest]) => first.toUpperCase() + rest.join('')).join(' ');
}
