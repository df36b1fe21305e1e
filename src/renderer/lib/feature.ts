import type { TablerIcon } from '@tabler/icons-react';
import { type ComponentType, createElement, lazy, type ReactNode, useState } from 'react';
import type { Snapshot } from '../../contract/index.ts';
import type { CountedKey, TextKey } from '../i18n/text-keys.ts';

/** A page of a feature. Its code is loaded when it is opened. */
export interface View {
  /** The address the router matches, such as `/projects/:uid`. */
  readonly path: string;
  readonly Component: ComponentType<Record<string, unknown>>;
  /** Loads the code ahead of time. */
  preload(): Promise<void>;
  /** Its libraries are as large as the page itself, so they are loaded only when a person is about to open it. */
  readonly isHeavy: boolean;
  /** Properties in addition to those from the address. */
  readonly props: Readonly<Record<string, unknown>>;
  /** The part of the address whose change resets the page. Without it the page keeps its state. */
  readonly keyedBy: string | undefined;
}

/** Groups of the navigation in order. Each has a heading `app.navGroup.<name>`. */
export const navGroups = ['create', 'money', 'connect'] as const;

/** Entry in the navigation. Entries of a group are in the order of the features. */
export interface NavEntry {
  /** Without it the entry has no heading. It is below the groups, or at the top if its address is `/`. */
  readonly group?: (typeof navGroups)[number];
  readonly to: string;
  readonly label: Exclude<TextKey, CountedKey>;
  readonly Icon: TablerIcon;
  /** Addresses outside `to` that belong to this entry. */
  readonly alsoAt?: string;
  /** Hides the entry on other networks. */
  readonly onlyOn?: NonNullable<Snapshot['app']>['network'];
  /** Hook: a number to show next to the label; 0 shows none. */
  useCount?(): number;
}

/** An action or page that the search lists. */
interface Command {
  readonly id: string;
  readonly label: string;
  /** Shown after the label in a lighter colour. */
  readonly description?: string;
  /** Searched as well, but not shown. */
  readonly keywords?: string;
  readonly leftSection?: ReactNode;
  readonly onClick: () => void;
}

export interface CommandGroup {
  readonly group: string;
  /** Its entries explain something. Entries that do or open the thing itself rank first. */
  readonly explains?: boolean;
  readonly actions: readonly Command[];
}

/** The purpose and use of a view, shown by `?` and on the help page. */
export interface HelpTopic {
  /** Its texts: `<texts>.title`, `<texts>.text`. */
  readonly texts: string;
  /** The view it explains, and those below it. */
  readonly at: string;
}

/** Everything that the application needs to know about a feature. Add a feature by listing its manifest in `app/features.ts`. */
export interface Feature {
  /** English texts by their first key. Declare the same keys in the interface `Texts`, so that `t()` knows them. */
  readonly texts: Readonly<Record<string, object>>;
  /** Without it only other pages lead to the views. */
  readonly nav?: NavEntry;
  readonly views: readonly View[];
  /** Every feature with an entry in the navigation has one. */
  readonly help?: readonly HelpTopic[];
  /** Hook: the actions available now. The search lists them before anything is typed. Groups of the same name are merged. */
  useCommands?(): readonly CommandGroup[];
  /** Hook: entries that the search shows only for a matching text, such as each setting. */
  useFindable?(): readonly CommandGroup[];
  /** Shown above every page, such as a warning. */
  readonly Banner?: ComponentType;
  /** Mounted with every page: notifications, dialogs that open by themselves. */
  readonly Background?: ComponentType;
}

/** The view that a feature's entry in the navigation opens. */
export function firstView({ nav, views }: Feature): View | undefined {
  return views.find(({ path }) => path.replace(/\/:\w+\?$/, '') === nav?.to);
}

/** The code of a page could not be loaded, usually because the host was updated or has stopped. */
export class ViewLoadError extends Error {
  override readonly name = 'ViewLoadError';
}

/**
 * Declares a page whose code is loaded when it is opened.
 * @param path address the router matches; its named parts become properties
 * @param load imports the module and picks the component
 */
export function view<P extends object>(
  path: string,
  load: () => Promise<ComponentType<P>>,
  { props = {}, keyedBy, isHeavy = false }: { props?: Partial<P>; keyedBy?: keyof P & string; isHeavy?: boolean } = {},
): View {
  let loaded: ComponentType<Record<string, unknown>> | undefined;
  const preload = async (): Promise<void> => {
    loaded = (await load()) as ComponentType<Record<string, unknown>>;
  };
  const Lazy = lazy(async () => {
    try {
      await preload();
      return { default: loaded as ComponentType<Record<string, unknown>> };
    } catch (cause) {
      throw new ViewLoadError(String(cause), { cause });
    }
  });
  /** A loaded component is rendered directly. A lazy component would show its placeholder for a moment. */
  function Component(given: Record<string, unknown>) {
    const [Shown] = useState(() => loaded ?? Lazy);
    return createElement(Shown, given);
  }
  return { path, Component, preload, isHeavy, props: props as Record<string, unknown>, keyedBy };
}
