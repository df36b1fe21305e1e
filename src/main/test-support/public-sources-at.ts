import { joinedServices, type PublicSourceName } from '../../contract/index.ts';

/** The setting `publicSources` for services that the sandbox at an address plays. */
export function publicSourcesAt(address: string, names: readonly PublicSourceName[]): string {
  const services = joinedServices(address);
  return names.map((name) => `${name}=${services[name]}`).join(',');
}
