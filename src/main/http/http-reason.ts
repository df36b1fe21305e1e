import { type Phrase, phrase } from '../../contract/index.ts';

/** Why another machine refused a request, by its HTTP status. Only 401 speaks of the key: 403 is also what a firewall answers. */
export function httpReason(status: number): Phrase {
  return status === 401 ? phrase('reason.key-wanted') : phrase('reason.http-status', { status });
}
