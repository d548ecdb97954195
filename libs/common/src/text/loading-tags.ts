/**
 * A path of this deployment, or a picture in the address itself. What could be anything else, once entities and escapes are
 * read, is not.
 */
export function isOwnAddress(address: string): boolean {
  return OWN_PATH.test(address) || PICTURE_ITSELF.test(address);
}

const OWN_PATH = /^(?:\/?[\w~.%-][^\s:&\\?#]*)?(?:[?#]\S*)?$/;
const PICTURE_ITSELF = /^data:image\/(?:png|jpe?g|gif|webp|avif);base64,[\w+/=]*$/i;

/** Attributes whose address a browser loads by itself, of whatever element. */
const LOADING =
  /[\s"'/](?:src|background|poster|data|lowsrc|dynsrc|ping|manifest|icon|xlink:href)\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)/gi;
const LOADING_HREF = /[\s"'/]href\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)/gi;
const ELEMENTS_THAT_LOAD_HREF = new Set(['link', 'base', 'image', 'use', 'feimage', 'script']);
/** Several addresses, or rules in which there may be some. */
const LISTING = /[\s"'/](?:srcset|imagesrcset)\s*=[^]*(?:[:\\]|\/\/|&[#a-z])/i;
const STYLING = /[\s"'/]style\s*=[^]*(?:url|image|src|import|[\\&])|=[^]*url\s*\([^]*(?:[:\\&]|\/\/)/i;
/** Rules and documents of their own, and elements that set the addresses of others. */
const ALWAYS = new Set(['style', 'animate', 'set']);

/**
 * Whether a browser that shows the tag loads something from elsewhere.
 * @param tag the whole tag, or as much of it as there is
 */
export function isLoadingTag(name: string, tag: string): boolean {
  const element = name.toLowerCase();
  if (ALWAYS.has(element) || /[\s"'/](?:srcdoc|http-equiv)\s*=/i.test(tag)) return true;
  if (LISTING.test(tag) || STYLING.test(tag)) return true;
  const addresses = [...tag.matchAll(LOADING)];
  if (ELEMENTS_THAT_LOAD_HREF.has(element)) addresses.push(...tag.matchAll(LOADING_HREF));
  return addresses.some(([, value]) => !isOwnAddress(value!.replace(/^["']|["']$/g, '').trim()));
}
