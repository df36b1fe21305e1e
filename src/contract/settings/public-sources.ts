/** The public services that Planchet can ask about the chain. */
export const publicSourceNames = ['cdn', 'whatsonchain', 'bananablocks', 'arcade', 'onesat'] as const;
export type PublicSourceName = (typeof publicSourceNames)[number];

/**
 * Reads the setting `publicSources`: names with commas between, each with an address of its own after `=`, or without one for the preset.
 * @example readPublicSources('arcade,whatsonchain=http://127.0.0.1:9600/woc/v1/bsv/test')
 * @returns the address of each, empty for the preset; undefined for a text that is no such list
 */
export function readPublicSources(text: string): ReadonlyMap<PublicSourceName, string> | undefined {
  const sources = new Map<PublicSourceName, string>();
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const [, name = '', address = ''] = /^(\w+)(?:=(https?:\/\/[^\s@]+))?$/.exec(part) ?? [];
    const known = publicSourceNames.find((one) => one === name);
    if (known === undefined || sources.has(known) || (address !== '' && !URL.canParse(address))) return undefined;
    sources.set(known, address);
  }
  return sources;
}

/**
 * Where a sandbox has the services that it plays: what the network `private` asks in place of public services and miners.
 * @param joinUrl the sandbox's address; empty for none
 */
export function joinedServices(joinUrl: string): Partial<Record<PublicSourceName | 'arc', string>> {
  if (joinUrl === '') return {};
  const base = joinUrl.replace(/\/+$/, '');
  return {
    cdn: `${base}/cdn`,
    onesat: `${base}/1sat`,
    whatsonchain: `${base}/woc/v1/bsv/test`,
    bananablocks: `${base}/bananablocks/api/v1`,
    arcade: `${base}/arcade`,
    arc: `${base}/open-arc/v1`,
  };
}
