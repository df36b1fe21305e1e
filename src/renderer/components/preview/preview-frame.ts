import { nonce } from '../../lib/nonce.ts';

/**
 * Elements that do nothing in a frame without permissions but try to leave it, which fills the console with refusals. A template could
 * become a shadow tree that is not sanitised, and an animation could set the target of a link later.
 */
const USELESS =
  'script, iframe, frame, object, embed, link, base, meta, template, animate, animateMotion, animateTransform, set';
/** Attributes that navigate the frame on a click. The refused navigation would replace the preview by the browser's error page. */
const NAVIGATING = ['href', 'xlink:href', 'action', 'formaction', 'target', 'ping', 'download'];
const XLINK = 'http://www.w3.org/1999/xlink';

/**
 * A document for a frame without any permission. It inherits the page's policy, which allows styles by nonce only: style elements get
 * the nonce, and style attributes become rules of such an element. The policy inside comes first and can only narrow the page's: nothing
 * is loaded and nothing runs, so the nonce is of no use to the content.
 * @param scheme colours for a document that sets none of its own
 */
export function frameDocument(html: string, scheme: 'light' | 'dark' = 'light'): string {
  const content = new DOMParser().parseFromString(html, 'text/html');
  const adapts = scheme === 'dark' && isUncoloured(html);
  for (const element of content.querySelectorAll(USELESS)) element.remove();
  for (const element of content.querySelectorAll('*')) withoutNavigation(element);
  const rules = document.createElement('style');
  for (const [index, element] of [...content.querySelectorAll('[style]')].entries()) {
    const probe = document.createElement('span');
    // The browser parses and serialises the attribute, so that it can contain only declarations.
    probe.style.cssText = element.getAttribute('style') ?? '';
    element.removeAttribute('style');
    element.setAttribute('data-styled', String(index));
    const at = `[data-styled="${index}"]`;
    // Repeated three times, since an attribute has a higher specificity than a selector.
    rules.append(`${at}${at}${at}{${probe.style.cssText}}\n`);
  }
  // A link without a target loses the browser's own style.
  rules.append(':where([data-link]){color:LinkText;text-decoration:underline}\n');
  if (adapts) rules.append(':root{color-scheme:dark}\n');
  content.head.append(rules);
  for (const style of content.querySelectorAll('style')) style.setAttribute('nonce', nonce);
  const policy = `default-src 'none'; img-src data:; style-src 'nonce-${nonce}'`;
  return [
    '<!doctype html><html><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    content.head.innerHTML,
    '</head>',
    content.body.outerHTML,
    '</html>',
  ].join('');
}

/** Whether a document leaves every colour to the browser. One that sets some is drawn on white, as its author saw it. */
export function isUncoloured(html: string): boolean {
  return !/color|background|fill|stroke|<style|<svg/i.test(html);
}

/** Links keep their style and their anchors inside the document. Their targets are shown in a tooltip. */
function withoutNavigation(element: Element): void {
  const target = element.getAttribute('href') ?? element.getAttributeNS(XLINK, 'href');
  const isLink = ['a', 'area'].includes(element.localName);
  for (const name of NAVIGATING) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    if (name.endsWith('href') && value.startsWith('#')) {
      // A fragment would be resolved against the page around the frame, since the frame has its address.
      if (isLink) element.setAttribute('href', `about:srcdoc${value}`);
      continue;
    }
    // Pictures and gradients of an SVG use href as well. They do not navigate.
    if (name.endsWith('href') && !isLink && value.startsWith('data:image/')) continue;
    element.removeAttribute(name);
  }
  if (isLink && target !== null && !target.startsWith('#')) {
    element.setAttribute('title', target.slice(0, 200));
    element.setAttribute('data-link', '');
  }
}
