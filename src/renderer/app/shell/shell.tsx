import { UnstyledButton } from '@mantine/core';
import { type CSSProperties, lazy, Suspense, useDeferredValue, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { useKeptScroll } from '../../components/list/list-state.ts';
import { Toasts } from '../../components/toasts/toasts.tsx';
import type { Feature } from '../../lib/feature.ts';
import { useKeptFocus } from '../../lib/focus/kept-focus.ts';
import { comesBack } from '../../lib/way-back.ts';
import { features } from '../features.ts';
import { Search } from '../search/search.tsx';
import { Connecting, ReconnectBanner } from './connection-screens.tsx';
import { CrashGuard } from './crash-guard.tsx';
import { Nav } from './nav.tsx';
import classes from './shell.module.css';
import { TopBar } from './top-bar/top-bar.tsx';
import { Views } from './views.tsx';

/** Loaded on demand: warnings are rare. */
const FaultBanner = lazy(async () => ({
  default: (await import('../../components/status/fault-banner.tsx')).FaultBanner,
}));
const PortBanner = lazy(async () => ({
  default: (await import('../../components/status/port-banner.tsx')).PortBanner,
}));

/** Texts of every feature. */
function keyOf(texts: Feature['texts']): string | undefined {
  return Object.keys(texts)[0];
}

/** The frame around every view. It always shows the colour of the network. */
export function Shell() {
  const { t } = useTranslation();
  const network = useNetwork();
  // The views render in time slices, while the frame renders at once on the first reply.
  const known = useDeferredValue(useLive((state) => state.app !== null));
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);

  const start = useRef(location);
  const moved = useRef(false);
  moved.current ||= location !== start.current;

  // A new page starts at its top. A page that is returned to keeps its scroll position.
  useKeptScroll(main, location, comesBack);
  useKeptFocus();

  return (
    <div className={classes.shell} style={{ '--network': `var(--pl-${network})` } as CSSProperties}>
      <div className={classes.line} data-network={network} />
      <UnstyledButton className={classes.skip} onClick={() => main.current?.focus()}>
        {t('app.skipToContent')}
      </UnstyledButton>
      <TopBar />
      <div className={classes.banners}>
        <ReconnectBanner />
        <Suspense fallback={null}>
          <FaultBanner />
          <PortBanner />
        </Suspense>
        {features.map(({ Banner, texts }) => Banner !== undefined && <Banner key={keyOf(texts)} />)}
      </div>
      <Nav />
      <main className={classes.main} ref={main} tabIndex={-1} id="content" data-moved={moved.current || undefined}>
        <CrashGuard resetKey={location}>{known ? <Views /> : <Connecting />}</CrashGuard>
      </main>
      <Toasts />
      {known && <Search />}
      {known &&
        features.map(
          ({ Background, texts }) =>
            Background !== undefined && (
              <Suspense key={keyOf(texts)} fallback={null}>
                <Background />
              </Suspense>
            ),
        )}
    </div>
  );
}
