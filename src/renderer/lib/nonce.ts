declare global {
  /** Read by libraries that add style elements at run time (the scroll lock of dialogs). */
  var __webpack_nonce__: string | undefined;
}

/** The server writes a fresh value into the page it sends; style elements without it are refused by the policy. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

globalThis.__webpack_nonce__ = nonce;
