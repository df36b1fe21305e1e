import { nonce } from '../app/nonce.ts';

/** Elements that do nothing in a frame without permissions but try to leave it, and so only fill the console with refusals. */
const USELESS = 'script, iframe, frame, object, embed, link, base, meta';

/**
 * A document for a frame without any permission. It inherits the page's policy, which applies styles by nonce alone: style elements get
 * the nonce, and style attributes become rules of such an element. The policy inside comes first and can only narrow the page's: nothing
 * is loaded and nothing runs, so the nonce is of no use to the content.
 */
export function frameDocument(html: string): string {
  const content = new DOMParser().parseFromString(html, 'text/html');
  for (const element of content.querySelectorAll(USELESS)) element.remove();
  const rules = document.createElement('style');
  for (const [index, element] of [...content.querySelectorAll('[style]')].entries()) {
    const probe = document.createElement('span');
    // Read and written anew by the browser, so that no attribute can hold more than declarations.
    probe.style.cssText = element.getAttribute('style') ?? '';
    element.removeAttribute('style');
    element.setAttribute('data-styled', String(index));
    const at = `[data-styled="${index}"]`;
    // Three times, since an attribute counts for more than a selector.
    rules.append(`${at}${at}${at}{${probe.style.cssText}}\n`);
  }
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
