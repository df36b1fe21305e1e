/** The public services that Planchet can ask about the chain. */
export const publicSourceNames = ['cdn', 'whatsonchain', 'bananablocks', 'arcade', 'onesat'] as const;
export type PublicSourceName = (typeof publicSourceNames)[number];

/** The operator of each service, and what it learns about its clients. */
export const publicSourceFacts: Readonly<
  Record<PublicSourceName, { readonly operator: string; readonly learns: 'addresses' | 'headers' }>
> = {
  cdn: { operator: 'Project Babbage', learns: 'headers' },
  whatsonchain: { operator: 'TAAL', learns: 'addresses' },
  bananablocks: { operator: 'GorillaPool', learns: 'addresses' },
  arcade: { operator: 'BSV Association', learns: 'headers' },
  onesat: { operator: 'GorillaPool', learns: 'addresses' },
};

/** Whether a service is used, and its address, which is empty for the preset. */
interface PublicSourceChoice {
  readonly on: boolean;
  readonly address: string;
}
export type PublicSourceChoices = ReadonlyMap<PublicSourceName, PublicSourceChoice>;

/**
 * Parses the setting `publicSources`: names separated by commas, each with its own address after `=`, or without one for the preset. One with
 * `-` before it is not used. If only such ones are listed, all others are used. An empty text uses all.
 * @example readPublicSources('arcade,whatsonchain=http://127.0.0.1:9600/woc/v1/bsv/test'), readPublicSources('-onesat')
 * @returns a choice for each service; undefined if the text is not such a list
 */
export function readPublicSources(text: string): PublicSourceChoices | undefined {
  const named = new Map<PublicSourceName, PublicSourceChoice>();
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const [, off, name = '', address = ''] = /^(-?)(\w+)(?:=(https?:\/\/[^\s@,]+))?$/.exec(part) ?? [];
    const known = publicSourceNames.find((one) => one === name);
    if (known === undefined || named.has(known) || (address !== '' && !URL.canParse(address))) return undefined;
    named.set(known, { on: off === '', address });
  }
  const others = { on: ![...named.values()].some(({ on }) => on), address: '' };
  return new Map(publicSourceNames.map((name) => [name, named.get(name) ?? others]));
}

/** The text that {@link readPublicSources} parses to these choices; empty if all are used with their presets. */
export function writePublicSources(choices: PublicSourceChoices): string {
  const isPreset = [...choices.values()].every(({ on, address }) => on && address === '');
  if (isPreset) return '';
  return [...choices]
    .map(([name, { on, address }]) => `${on ? '' : '-'}${name}${address === '' ? '' : `=${address}`}`)
    .join(',');
}

/**
 * Addresses of the services that a sandbox simulates. The network `private` uses them instead of public services and miners.
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
