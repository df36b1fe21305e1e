import type { Dispatcher } from 'undici';

/**
 * The way out to other machines: how requests to an address are sent where a proxy is set.
 * @param url of the request
 * @returns undefined where they are sent directly: no proxy is set, or the address is on this machine
 */
export type Outbound = (url: string) => Dispatcher | undefined;
