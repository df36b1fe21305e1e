import {
  IconArrowsExchange,
  IconBuildingFactory2,
  IconCoin,
  IconCoins,
  IconCube,
  IconFileText,
  IconFolder,
  IconHammer,
  IconKey,
  IconMapPin,
  IconPhoto,
  IconPointFilled,
  IconTransfer,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { SearchAnswer, SearchHit, SearchKind } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import { Thumb } from '../../components/preview/art.tsx';
import { shownMinerName } from '../../i18n/phrases.ts';
import { formatInteger, shortenId } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import type { Entry } from './entry.ts';

/** Heading, icon and target of each kind of hit. */
const kinds: Readonly<
  Record<SearchKind, { heading: SearchHeading; Icon: TablerIcon; to: (hit: SearchHit) => string }>
> = {
  block: { heading: 'chain', Icon: IconCube, to: ({ id }) => routes.block(id) },
  transaction: { heading: 'chain', Icon: IconTransfer, to: ({ id }) => routes.transaction(id) },
  output: { heading: 'chain', Icon: IconPointFilled, to: ({ id }) => routes.outpoint(id) },
  address: { heading: 'chain', Icon: IconMapPin, to: ({ id }) => routes.address(id) },
  contact: { heading: 'contacts', Icon: IconUser, to: () => routes.walletPart('contacts') },
  submitted: { heading: 'submitted', Icon: IconArrowsExchange, to: ({ id }) => routes.submittedTransaction(id) },
  token: { heading: 'tokens', Icon: IconCoin, to: ({ id }) => routes.token(id) },
  item: { heading: 'items', Icon: IconPhoto, to: ({ id, projectUid }) => routes.item(projectUid ?? '', id) },
  project: { heading: 'projects', Icon: IconFolder, to: ({ id }) => routes.project(id) },
  redeemable: { heading: 'tokens', Icon: IconCoins, to: ({ id }) => routes.tokenHistory(id) },
  mint: { heading: 'mints', Icon: IconHammer, to: ({ id, projectUid }) => routes.mintJob(projectUid ?? '', id) },
  run: { heading: 'mints', Icon: IconHammer, to: ({ id }) => routes.run(id) },
  document: { heading: 'documents', Icon: IconFileText, to: ({ id }) => routes.writerDocument(id) },
  miner: { heading: 'miners', Icon: IconBuildingFactory2, to: () => routes.miners },
  key: { heading: 'keys', Icon: IconKey, to: () => routes.gatewayView('keys') },
  writerKey: { heading: 'keys', Icon: IconKey, to: () => routes.writerKeys },
};

type SearchHeading =
  | 'chain'
  | 'contacts'
  | 'submitted'
  | 'tokens'
  | 'mints'
  | 'items'
  | 'projects'
  | 'documents'
  | 'miners'
  | 'keys';

/** The hits of the host, and whether they belong to this text: the hits of the earlier text stay visible until the reply arrives. */
export function useHostHits(text: string): { answer: SearchAnswer | undefined; current: boolean } {
  const wanted = text.trim();
  const { data, isPlaceholderData, isFetching, isError } = useQuery(
    api.search.find.queryOptions({
      input: { text: wanted },
      enabled: wanted !== '',
      placeholderData: keepPreviousData,
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  );
  if (wanted === '') return { answer: undefined, current: true };
  const current = isError || (!isFetching && !isPlaceholderData);
  return { answer: isError ? undefined : data, current };
}

/** A hit as an entry of the list. */
export function entryOf(hit: SearchHit, t: TFunction, language: string): Entry {
  const { heading, Icon, to } = kinds[hit.kind];
  const named = hit.name !== '';
  const short = shortenId(hit.id, 8);
  const label =
    hit.kind === 'block'
      ? t('app.find.block', { height: formatInteger(Number(hit.name), language) })
      : named
        ? shownMinerName(hit.name)
        : ['document', 'token', 'item', 'redeemable', 'mint', 'run'].includes(hit.kind)
          ? short
          : t(`app.find.open.${hit.kind as 'transaction'}`, { id: short });
  const own = ['project', 'item', 'miner', 'key', 'writerKey', 'block'].includes(hit.kind) || !named;
  const place = hit.kind === 'submitted' ? t(`common.origin.${hit.place as 'mint'}`) : placeOf(hit, t);
  return {
    id: `${hit.kind}-${hit.id}`,
    group: t(`app.find.heading.${heading}`),
    label,
    description: own ? place : [short, place].filter(Boolean).join(' · '),
    kind: t(`app.find.kind.${hit.kind}`),
    picture: hit.file === null ? <Icon {...icon} /> : <Thumb file={hit.file} size={24} />,
    fits: true,
    to: to(hit),
  };
}

function placeOf({ kind, place }: SearchHit, t: TFunction): string {
  if (kind === 'block') return shortenId(place, 8);
  if (place === 'wallet') return t('app.find.inWallet');
  return place.length > 60 ? shortenId(place, 8) : place;
}
