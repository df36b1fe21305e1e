import { nonce } from '../../lib/nonce.ts';

/**
 * Elements that do nothing in a frame without permissions but try to leave it, and so only fill the console with refusals. A template
 * may become a shadow tree that nothing here has looked at, and an animation may give a link its target later.
 */
const USELESS =
  'script, iframe, frame, object, embed, link, base, meta, template, animate, animateMotion, animateTransform, set';
/** What sends a frame elsewhere when it is clicked. A refused navigation would replace the preview by the browser's page of errors. */
const NAVIGATING = ['href', 'xlink:href', 'action', 'formaction', 'target', 'ping', 'download'];
const XLINK = 'http://www.w3.org/1999/xlink';

/**
 * A document for a frame without any permission. It inherits the page's policy, which applies styles by nonce alone: style elements get
 * the nonce, and style attributes become rules of such an element. The policy inside comes first and can only narrow the page's: nothing
 * is loaded and nothing runs, so the nonce is of no use to the content.
 * @param scheme colours for a document that names none of its own
 */
export function frameDocument(html: string, scheme: 'light' | 'dark' = 'light'): string {
  const content = new DOMParser().parseFromString(html, 'text/html');
  const adapts = scheme === 'dark' && isUncoloured(html);
  for (const element of content.querySelectorAll(USELESS)) element.remove();
  for (const element of content.querySelectorAll('*')) withoutNavigation(element);
  const rules = document.createElement('style');
  for (const [index, element] of [...content.querySelectorAll('[style]')].entries()) {
    const probe = document.createElement('span');
    // The browser parses and serialises it, so that no attribute can hold more than declarations.
    probe.style.cssText = element.getAttribute('style') ?? '';
    element.removeAttribute('style');
    element.setAttribute('data-styled', String(index));
    const at = `[data-styled="${index}"]`;
    // Three times, since an attribute counts for more than a selector.
    rules.append(`${at}${at}${at}{${probe.style.cssText}}\n`);
  }
  // a link without a target loses the browser's own style
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

/** Whether a document leaves every colour to the browser. One that names some is drawn on white, as its author saw it. */
export function isUncoloured(html: string): boolean {
  return !/color|background|fill|stroke|<style|<svg/i.test(html);
}

/** Links keep their look and their places inside the document; where they lead stands in a tooltip. */
function withoutNavigation(element: Element): void {
  const target = element.getAttribute('href') ?? element.getAttributeNS(XLINK, 'href');
  const isLink = ['a', 'area'].includes(element.localName);
  for (const name of NAVIGATING) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    if (name.endsWith('href') && value.startsWith('#')) {
      // a place alone is looked for in the page around the frame, whose address the frame takes for its own
      if (isLink) element.setAttribute('href', `about:srcdoc${value}`);
      continue;
    }
    // pictures and gradients of an SVG are named by href as well, and lead nowhere
    if (name.endsWith('href') && !isLink && value.startsWith('data:image/')) continue;
    element.removeAttribute(name);
  }
  if (isLink && target !== null && !target.startsWith('#')) {
    element.setAttribute('title', target.slice(0, 200));
    element.setAttribute('data-link', '');
  }
}
