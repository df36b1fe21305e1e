declare global {
  /** Read by libraries that add style elements at run time (the scroll lock of dialogs). */
  var __webpack_nonce__: string | undefined;
}

/** The server writes a new value into each page that it sends. The policy refuses style elements without it. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

globalThis.__webpack_nonce__ = nonce;
