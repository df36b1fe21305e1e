import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { itemFieldNames, type TokenCard, type TokenDetail } from '../../../../contract/index.ts';
import layout from '../../../components/styles/layout.module.css';
import pairs from '../../../components/styles/pairs.module.css';
import { Badge, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger, shortenId } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { placeIn } from '../token-rules.ts';
import classes from './sheet.module.css';
import type { Ownership } from './use-ownership.ts';

/** Names with their values. */
export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={pairs.pairs}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Owner({ address, ownership }: { address: string | null; ownership: Ownership }) {
  const { t } = useTranslation();
  if (ownership === 'moved') {
    return (
      <>{address === null ? t('tokenSheet.movedAway') : t('tokenSheet.moved', { address: shortenId(address, 6) })}</>
    );
  }
  return (
    <Group gap={8}>
      {address === null ? (
        <span className={layout.dim}>{t('tokenSheet.noOwner')}</span>
      ) : (
        <Id value={address} kind="address" copyAlways keep={8} />
      )}
      {ownership === 'own' && <Badge tone="done">{t('tokenSheet.own')}</Badge>}
    </Group>
  );
}

interface FactsProps {
  token: TokenCard;
  /** Undefined while it is on its way. */
  detail: TokenDetail | undefined;
  ownership: Ownership;
}

export function Facts({ token, detail, ownership }: FactsProps) {
  const { t, i18n } = useTranslation();
  const { projectUid, projectName, collectionId, content } = token;
  const claims = detail?.claims;
  const place = placeIn(detail?.metadata.subTypeData);
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 2 });
  const number = (value: number): string => formatInteger(value, i18n.language);
  const address = token.address ?? detail?.provenance.at(-1)?.address ?? null;
  const facts: (readonly [string, ReactNode] | false)[] = [
    projectUid !== null && [
      t(token.collectionId === null ? 'tokenSheet.project' : 'tokenSheet.collection'),
      <Anchor key="project" component={Link} href={routes.project(projectUid)}>
        {projectName ?? projectUid}
      </Anchor>,
    ],
    projectUid === null &&
      collectionId !== null && [
        t('tokenSheet.claimedCollection'),
        <Group key="collection" gap={8}>
          {claims?.collection != null && <bdi>{claims.collection.name}</bdi>}
          <Id value={collectionId} kind="output" keep={claims?.collection == null ? 8 : 4} />
        </Group>,
      ],
    claims?.artist != null && [t('tokenSheet.artist'), <bdi key="artist">{claims.artist}</bdi>],
    [t('tokenSheet.owner'), <Owner key="owner" address={address} ownership={ownership} />],
    place.mintNumber !== undefined && [
      t('tokenSheet.number'),
      claims?.quantity == null
        ? number(place.mintNumber)
        : t('tokenSheet.numberOf', { n: number(place.mintNumber), total: number(claims.quantity) }),
    ],
    ...itemFieldNames.map((field) => {
      const value = place[field];
      return (
        value !== undefined && ([t(`tokenSheet.${field}`), typeof value === 'number' ? number(value) : value] as const)
      );
    }),
    claims !== undefined &&
      claims.royalties.length > 0 && [
        t('tokenSheet.royalties'),
        [
          ...claims.royalties.map(({ destination, percentage }) =>
            t('tokenSheet.royalty', { percent: percent.format(percentage), receiver: destination }),
          ),
          t('tokenSheet.unenforced'),
        ].join(', '),
      ],
    content !== null && [t('tokenSheet.file'), `${content.contentType}, ${formatBytes(content.bytes, i18n.language)}`],
  ];
  return <FactList facts={facts.filter((fact) => fact !== false)} />;
}

/** The identifiers for programs: outpoint and file hash. */
export function TechnicalFacts({ token: { outpoint, content } }: { token: TokenCard }) {
  const { t } = useTranslation();
  const facts: [string, ReactNode][] = [
    [t('tokenSheet.outpoint'), <Id key="outpoint" value={outpoint} kind="output" unnamed copyAlways keep={8} />],
  ];
  if (content !== null) {
    const hash = <Id key="hash" value={content.sha256} what={t('common.hashName')} copyAlways keep={8} />;
    facts.push([t('tokenSheet.hash'), hash]);
  }
  return (
    <details>
      <summary>{t('common.details')}</summary>
      <FactList facts={facts} />
    </details>
  );
}

/** Its traits, each with how many of its collection have it. */
export function Traits({ token, detail }: { token: TokenCard; detail: TokenDetail | undefined }) {
  const { t, i18n } = useTranslation();
  const rarity = detail?.rarity ?? null;
  // A received token says itself how rare its traits are, as nobody here has its collection.
  const claimed = token.source === 'received' ? detail?.claims.traits : undefined;
  // Who made it stands above, and is no trait.
  const isArtist = ({ name, value }: TokenCard['traits'][number]): boolean =>
    value === detail?.claims.artist && !detail.claims.traits.some((trait) => trait.name === name);
  const traits = (claimed ?? token.traits)
    .map((trait, index) => ({ ...trait, count: rarity?.traits[index]?.count ?? 0, inscribed: claimed?.[index]?.share }))
    .filter((trait) => !isArtist(trait));
  if (traits.length === 0) return <div className={layout.dim}>{t('tokenSheet.noTraits')}</div>;
  const number = (value: number): string => formatInteger(value, i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <ul className={classes.traits}>
      {traits.map(({ name, value, count, inscribed = null }) => {
        const share = (inscribed ?? (rarity === null || rarity.total === 0 ? 0 : count / rarity.total)) * 100;
        return (
          <li key={`${name}: ${value}`}>
            <bdi className={layout.dim}>{name}</bdi>
            <bdi className={classes.traitValue}>{value}</bdi>
            {share > 0 && (
              <>
                <span className={classes.share} aria-hidden>
                  <span style={{ width: `${Math.max(2, share)}%` }} />
                </span>
                <span className={`num ${layout.dim}`}>
                  {inscribed === null
                    ? t('tokenSheet.share', { n: number(count), total: number(rarity?.total ?? 0) })
                    : t('tokenSheet.shareInscribed', { percent: percent.format(inscribed) })}
                </span>
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}
