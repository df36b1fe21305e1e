import { expect, it } from 'vitest';
import { StillClock } from '../../test-support/still-clock.ts';
import { headerOperators } from '../headers/public/public-headers.ts';
import { transactionSources } from '../public/transaction-sources.ts';
import { PublicSources } from './public-sources.ts';

/** Who answers for the services of a setting, each by the name of its service. */
function operatorsOf(text: string): Record<string, string> {
  const options = { network: 'main', clock: new StillClock(0), text: () => text, joinUrl: () => '' } as const;
  const sources = new PublicSources(options);
  const all = [...headerOperators(sources.clients(), 'main'), ...transactionSources(sources)];
  return Object.fromEntries(all.map(({ name, operator }) => [name, operator]));
}

it('services at their usual addresses are witnesses of their own', () => {
  expect(operatorsOf('whatsonchain,bananablocks,arcade')).toEqual({
    whatsonchain: 'TAAL',
    bananablocks: 'GorillaPool',
    arcade: 'BSV Association',
  });
});

it('services that one machine of a person answers for are one witness', () => {
  const at = 'https://mirror.example';
  const { whatsonchain, bananablocks, arcade } = operatorsOf(
    `whatsonchain=${at}/woc,bananablocks=${at}:8443/banana,arcade`,
  );
  expect([whatsonchain, bananablocks]).toEqual(['mirror.example', 'mirror.example']);
  expect(arcade).toBe('BSV Association');
});

it('a service that is asked at the machine of another operator is no second witness', () => {
  const { whatsonchain, bananablocks } = operatorsOf(
    'whatsonchain=https://bananablocks.com/api/v1/bsv/main,bananablocks',
  );
  expect(whatsonchain).toBe(bananablocks);
});

it('services that this machine passes on to stay witnesses of their own', () => {
  const { whatsonchain, bananablocks } = operatorsOf(
    'whatsonchain=http://[::1]:8080/woc,bananablocks=http://[::1]:8080/banana',
  );
  expect([whatsonchain, bananablocks]).toEqual(['TAAL', 'GorillaPool']);
});
