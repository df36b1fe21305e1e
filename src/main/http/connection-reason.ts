import { type PlainKey, phrase, type Reason } from '../../contract/index.ts';

/** Codes of Node.js and its HTTP client for connections that did not come about, or broke off. */
const reasons: Readonly<Record<string, PlainKey>> = {
  ENOTFOUND: 'reason.name-not-found',
  EAI_AGAIN: 'reason.name-not-found',
  ECONNREFUSED: 'reason.connection-refused',
  ECONNRESET: 'reason.connection-lost',
  EPIPE: 'reason.connection-lost',
  UND_ERR_SOCKET: 'reason.connection-lost',
  ETIMEDOUT: 'reason.connection-timeout',
  UND_ERR_CONNECT_TIMEOUT: 'reason.connection-timeout',
  EHOSTUNREACH: 'reason.network-unreachable',
  ENETDOWN: 'reason.network-unreachable',
  ENETUNREACH: 'reason.network-unreachable',
};

/**
 * Why a request to another machine got no answer, in words where the fault is a common one.
 * @param error what `fetch` or an HTTP client threw; its cause counts before itself
 * @returns the code or the message where no words are known for it
 */
export function connectionReason(error: unknown): Reason {
  const { cause = error } = (error ?? {}) as { cause?: NodeJS.ErrnoException };
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === undefined || code === '') return message || String(error);
  if (Object.hasOwn(reasons, code)) return phrase(reasons[code] as PlainKey);
  return isCertificateFault(code) ? phrase('reason.certificate', { code }) : code;
}

/** Whether an error code of TLS speaks of the certificate of the other side. */
export function isCertificateFault(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_/.test(code);
}
