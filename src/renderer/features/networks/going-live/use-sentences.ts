import { useTranslation } from 'react-i18next';
import type { NetworkProfile } from '../../../../contract/index.ts';
import { useMoney } from '../../../api/money.ts';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { unsettled } from '../unsettled.ts';
import { fits, isReady, limitsOf, priceOf } from './fit.ts';
import type { RowName } from './row.tsx';
import { faultOf, type GoingLive } from './use-going-live.ts';

interface Words {
  sentence: string;
  action: string;
}

/** The state of each step in words, and the label of its button. */
export function useSentences(profile: NetworkProfile, live: GoingLive): Record<RowName, Words> {
  const { t, i18n } = useTranslation();
  const amount = useMoney();
  const { active } = profile;
  const { states, headers, miners, largest, artBytes, drafts, plan, spendable, project } = live;
  const network = t(`common.network.${profile.network}`);
  const later = t('goingLive.afterChange', { network });
  const isLocked = active && live.wallet?.state === 'locked';
  const action = (name: RowName): string => t(states[name] === 'done' ? 'goingLive.show' : `goingLive.action.${name}`);
  const height = headers.data?.tip?.height;
  const ready = miners.data?.filter((miner) => isReady(miner, Date.now())) ?? [];
  const taking = ready.filter((miner) => fits(limitsOf(miner), largest) !== false);
  const cheapest = Math.min(...taking.map((miner) => priceOf(miner, artBytes) ?? Number.POSITIVE_INFINITY));

  function wallet(): string {
    if (profile.missing.includes('wallet')) return t('goingLive.wallet.missing');
    if (isLocked) return t('goingLive.wallet.locked');
    return t('goingLive.wallet.made');
  }
  function backup(): string {
    if (profile.network === 'private') return t('goingLive.backup.notNeeded');
    return t(profile.missing.includes('backup') ? 'goingLive.backup.missing' : 'goingLive.backup.made');
  }
  function sources(): string {
    if (!active) return t('goingLive.sources.beforeShort', { network });
    if (headers.data === undefined) return t('networks.asking');
    const isNode = headers.data.sources.every(({ operator }) => operator === null);
    const fault = faultOf(headers.data);
    if (fault !== undefined || !headers.data.isAgreed || height === undefined) {
      return t(isNode && fault !== undefined ? 'goingLive.sources.nodeSilent' : unsettled[fault ?? 'none']);
    }
    const at = formatInteger(height, i18n.language);
    return isNode ? t('goingLive.sources.node', { height: at }) : t('networks.agreed', { height: at });
  }
  function whoMines(): string {
    if (!active) return later;
    if ((miners.data ?? []).every(({ enabled, url }) => !enabled || url === '')) return t('goingLive.miners.none');
    if (ready.length === 0)
      return t(states.miners === 'failed' ? 'goingLive.miners.allSilent' : 'goingLive.miners.asking');
    if (taking.length === 0) return t('goingLive.miners.noneTakes', { size: formatBytes(largest, i18n.language) });
    if (drafts === 0) return t('goingLive.miners.answer', { count: ready.length });
    return t('goingLive.miners.ready', {
      count: taking.length,
      size: formatBytes(largest, i18n.language),
      price: amount(cheapest),
    });
  }
  function money(): string {
    if (!active) return later;
    if (isLocked) return t('goingLive.money.locked');
    const has = amount(spendable);
    if (project === undefined || drafts === 0)
      return t(spendable > 0 ? 'goingLive.money.has' : 'goingLive.money.empty', { has });
    if (plan.data === undefined) return t(plan.isError ? 'goingLive.money.noPlan' : 'goingLive.money.counting');
    const needed = amount(plan.data.needed);
    return t(spendable >= plan.data.needed ? 'goingLive.money.covered' : 'goingLive.money.short', {
      needed,
      has,
      project: project.name,
    });
  }
  function mint(): string {
    if (!active) return later;
    if (project === undefined) return t('goingLive.project.none');
    if (states.mint === 'done') return t('goingLive.mint.done', { project: project.name });
    return t('goingLive.mint.ready', { count: drafts, project: project.name });
  }
  return {
    wallet: { sentence: wallet(), action: isLocked ? t('goingLive.action.unlock') : action('wallet') },
    backup: {
      sentence: backup(),
      action: action('backup'),
    },
    sources: {
      sentence: sources(),
      action: active ? action('sources') : t('networks.switch', { network }),
    },
    miners: { sentence: whoMines(), action: action('miners') },
    money: { sentence: money(), action: action('money') },
    mint: { sentence: mint(), action: action('mint') },
  };
}
