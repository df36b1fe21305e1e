import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useLive } from '../../api/live/live-store.ts';
import { routes } from '../../lib/routes.ts';

/** Opens the question instead of the dashboard, once. A link to another page is followed all the same. */
export function FirstStart() {
  const isFirst = useLive((state) => state.app?.firstStart ?? false);
  const [location, navigate] = useLocation();
  const opened = useRef(false);
  useEffect(() => {
    if (!isFirst || opened.current) return;
    opened.current = true;
    if (location === routes.dashboard) navigate(routes.welcome, { replace: true });
  }, [isFirst, location, navigate]);
  return null;
}
