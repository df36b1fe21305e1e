import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useLive } from '../../api/live/live-store.ts';
import { routes } from '../../lib/routes.ts';

/** Opens the start page instead of the dashboard, once. A link to another page still opens that page. */
export function FirstStart() {
  const isFirst = useLive((state) => state.app?.firstStart ?? false);
  const [location, navigate] = useLocation();
  const opened = useRef(false);
  useEffect(() => {
    if (!isFirst || opened.current) return;
    opened.current = true;
    if (location === routes.dashboard) navigate(routes.welcome, { replace: true });
  }, [isFirst, location, navigate]);
  // Removes an abandoned first token, which would otherwise wait for a decision. The start page itself continues with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens.
  useEffect(() => {
    if (localStorage.getItem('planchet-first-mint') === null || location === routes.welcomeStep('create')) return;
    void import('./hold.ts').then(({ clearUnheld }) => clearUnheld()).catch(() => {});
  }, []);
  return null;
}
